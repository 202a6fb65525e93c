// SPDX-License-Identifier: BSD-3-Clause
// Eigen: assignment between strided matrices up to rank 2, and shuffles of dense tensors of rank 3 to 6.
#include <Eigen/Core>
#include <complex>
#include <unsupported/Eigen/CXX11/Tensor>

#include "peers.h"

namespace {

struct copy {
    virtual ~copy() = default;
    virtual void run() = 0;
};

template <class T> struct matrix_copy final : copy {
    using strides = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;
    using matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Eigen::Map<matrix, 0, strides> dst;
    Eigen::Map<const matrix, 0, strides> src;
    explicit matrix_copy(const peer_problem &p, const peer_dim &a, const peer_dim &b)
        : dst(reinterpret_cast<T *>(p.d), a.n, b.n, strides(a.ds, b.ds)),
          src(reinterpret_cast<const T *>(p.s), a.n, b.n, strides(a.ss, b.ss)) {}
    void run() override { dst = src; }
};

// The axes of the source by falling stride; order[k] is where axis k of the destination is among them.
bool source_order(const peer_problem &p, int *order, Eigen::Index *extent) {
    int64_t dense = 1;
    bool used[LMAD_MAX_RANK] = {};
    for (int at = p.rank - 1; at >= 0; at--) {
        int k = 0;
        while (k < p.rank && (used[k] || p.dim[k].ss != dense)) k++;
        if (k == p.rank) return false;
        used[k] = true;
        order[k] = at;
        extent[at] = p.dim[k].n;
        dense *= p.dim[k].n;
    }
    return true;
}

template <class T, int RANK> struct shuffle_copy final : copy {
    using tensor = Eigen::Tensor<T, RANK, Eigen::RowMajor>;
    Eigen::TensorMap<tensor> dst;
    Eigen::TensorMap<const tensor> src;
    Eigen::array<int, RANK> order;
    static Eigen::array<Eigen::Index, RANK> extents(const peer_problem &p) {
        Eigen::array<Eigen::Index, RANK> n;
        for (int k = 0; k < RANK; k++) n[k] = p.dim[k].n;
        return n;
    }
    static Eigen::array<Eigen::Index, RANK> listed(const Eigen::Index *extent) {
        Eigen::array<Eigen::Index, RANK> n;
        for (int k = 0; k < RANK; k++) n[k] = extent[k];
        return n;
    }
    shuffle_copy(const peer_problem &p, const int *where, const Eigen::Index *extent)
        : dst(reinterpret_cast<T *>(p.d), extents(p)), src(reinterpret_cast<const T *>(p.s), listed(extent)) {
        for (int k = 0; k < RANK; k++) order[k] = where[k];
    }
    void run() override { dst = src.shuffle(order); }
};

template <class T> copy *make(const peer_problem &p) {
    if (p.rank <= 2) {
        const peer_dim unit = {1, 1, 1};
        const peer_dim &b = p.rank > 0 ? p.dim[p.rank - 1] : unit, &a = p.rank > 1 ? p.dim[0] : unit;
        return new matrix_copy<T>(p, a, b);
    }
    int order[LMAD_MAX_RANK];
    Eigen::Index extent[LMAD_MAX_RANK];
    if (!peer_packs(&p) || !source_order(p, order, extent)) return nullptr;
    switch (p.rank) {
    case 3: return new shuffle_copy<T, 3>(p, order, extent);
    case 4: return new shuffle_copy<T, 4>(p, order, extent);
    case 5: return new shuffle_copy<T, 5>(p, order, extent);
    case 6: return new shuffle_copy<T, 6>(p, order, extent);
    default: return nullptr;
    }
}

void *open_eigen(const peer_problem *p) {
    switch (p->size) {
    case 1: return make<uint8_t>(*p);
    case 2: return make<uint16_t>(*p);
    case 4: return make<float>(*p);
    case 8: return make<double>(*p);
    case 16: return make<std::complex<double>>(*p);
    default: return nullptr;
    }
}

double run_eigen(void *state, int64_t repeats) {
    for (; repeats > 0; repeats--) static_cast<copy *>(state)->run();
    return 0;
}

void close_eigen(void *state) { delete static_cast<copy *>(state); }

} // namespace

const peer peer_eigen = {"Eigen", false, open_eigen, run_eigen, close_eigen};
