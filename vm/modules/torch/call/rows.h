// Operands of kernels that want plain memory: contiguous, of one dtype, one dimension last.
//
//     Rows from, to;
//     if (!rows_read(&from, self, dim, computed)) return false;
//     if (!rows_write(&to, result, dim, computed)) return rows_drop(&from);
//     ... to.data[row * n + i] from from.data[row * n + i] ...
//     rows_drop(&from);
//     return rows_store(&to);
//
// A tensor that is already laid out like that is used as it is. Any other one is copied: before the
// kernel runs, if it is read; after it, if it is written.
#pragma once

#include "objects/tensor/tensor.h"

#define ROWS_AS_IS (-1) // no dimension is moved

typedef struct Rows {
    void *data;
    Tensor *tensor; // whose memory this is; owned
    Tensor *target; // where it goes in the end, NULL = it is there already; borrowed
    int dim;
} Rows;

// The elements of a tensor, with the dimension `dim` moved after all others. False with
// MemoryError pending.
bool rows_read(Rows *rows, Tensor *tensor, int dim, Dtype dtype);
// Memory for the elements of a tensor. Its contents are undefined.
bool rows_write(Rows *rows, Tensor *tensor, int dim, Dtype dtype);
// Moves what has been written into its tensor, and ends the use of `rows`.
bool rows_store(Rows *rows);
// Ends the use of what was read, or of what shall not be stored. Returns false, for `return`.
bool rows_drop(Rows *rows);
