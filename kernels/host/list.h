/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of host kernels, included with LM_ROW(function, pattern, run, stream) defined as what is wanted
 * of each row: a declaration or a table entry. To add a kernel, write it and add its row. */
LM_ROW(rows, LM_ROWS, 1, false)
LM_ROW(rows_stream, LM_ROWS, 1, true)
LM_ROW(gather, LM_GATHER, 0, false)
LM_ROW(gather_stream, LM_GATHER, 0, true)
LM_ROW(scatter, LM_SCATTER, 0, false)
LM_ROW(strided, LM_STRIDED, 0, false)
LM_ROW(reverse, LM_REVERSE, 0, false)
LM_ROW(reverse_stream, LM_REVERSE, 0, true)
LM_ROW(fill, LM_FILL, 0, false)
LM_ROW(fill_stream, LM_FILL, 0, true)
LM_ROW(transpose, LM_TRANSPOSE, 0, false)
LM_ROW(transpose_stream, LM_TRANSPOSE, 0, true)
LM_ROW(exchange, LM_EXCHANGE, 0, false)
LM_ROW(swap, LM_SWAP, 0, false)
