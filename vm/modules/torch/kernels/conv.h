// Convolutions as matrix products, in one, two and three dimensions, and their gradients.
//
// An output point sees a window of the image: one number for each input channel and each position
// (tap) of the kernel. With one row for each of these numbers and one column for each output point,
// the windows are a matrix, and the convolution is a product (im2col):
//
//              channel, tap                 image, point                    image, point
//     output  | w w w w w |      channel,  | x . . . . . |       output    | y . . . |
//     channel | . . . . . |   *  tap       | . . . . . . |   =   channel   | . . . . |
//                                          | . . . . . . |
//
// The matrix of windows is never made. The number that tap t sees from point o is at
//
//     o * stride + t * dilation
//
// from the corner of the padded image: a part for the column plus a part for the row, which is just
// what two tables of a Matrix say (gemm.h). The image is copied once, with its margin of zeros.
//
// Gradients are products of the same kind. That of the weight sums over images and points, with the
// windows transposed. That of the image asks for each input point i which points saw it:
// o = (i + padding - t * dilation) / stride, where that is whole. The input points of one remainder
// modulo the stride see the same taps, and their o is again a sum of two parts. So there is one
// product for each remainder, and each input point is written once. A transposed convolution is the
// same computation.
#pragma once

#include "vm/modules/torch/kernels/kernels.h"

#define CONV_DIMS 3 // one and two dimensions: the first ones have size 1

// All tensors are contiguous: image [images, channels_in, size_in...], weight [channels_out,
// channels_in / groups, kernel...], output [images, channels_out, size_out...].
typedef struct Conv {
    Dtype dtype; // one that is computed in, but bool
    int64_t images, channels_in, channels_out, groups;
    int64_t size_in[CONV_DIMS], size_out[CONV_DIMS], kernel[CONV_DIMS];
    int64_t stride[CONV_DIMS], padding[CONV_DIMS], dilation[CONV_DIMS];
} Conv;

// Each fills its last tensor; `accumulate` adds to what is there (a bias). Padding is never
// negative, stride and dilation are 1 or more. False with MemoryError pending.
bool KERNEL(conv_forward)(const Conv *conv, const void *image, const void *weight, void *output,
                          bool accumulate);
bool KERNEL(conv_image_gradient)(const Conv *conv, const void *output, const void *weight,
                                 void *image, bool accumulate);
bool KERNEL(conv_weight_gradient)(const Conv *conv, const void *output, const void *image,
                                  void *weight);
