// Fourier transforms of any length, in double.
//
//     out[k] = sum of x[j] w^(j k), w = exp(-2 pi i / n)    backwards: the parts are exchanged
//                                                           before and after
//
// A length n = p m is split into p transforms of every p-th element, each of length m, which are
// then combined (Cooley and Tukey): O(n log n) while the factors are small. A length with a prime
// factor above LARGEST_FACTOR is a convolution of a length that is a power of 2 (Bluestein).
//
// The roots are in one table. Those at multiples of a twelfth of a turn are exact as far as doubles
// are, so transforms of constants give zeros.
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/tensor/dense.h"
#include "objects/tensor/iterate.h"
#include "vm/modules/torch/complex/complex_math.h"
#include "vm/modules/torch/complex/complex_ops.h"

#define LARGEST_FACTOR 61
#define MOST_FACTORS 64

typedef struct Fft {
    int64_t n;             // of the lines
    int64_t length;        // that is split: n, or that of the convolution
    int64_t factors[MOST_FACTORS];
    Complex128 *roots;     // `length` of them
    Complex128 *line;      // room for a line
    Complex128 *out;       // room for its transform
    Complex128 *chirp;     // Bluestein: exp(-pi i j^2 / n), n of them; NULL = not needed
    Complex128 *spectrum;  // the transform of the chirp's conjugates
    Complex128 *memory;
} Fft;

// ---- roots of 1

// The sine of `hour` twelfths of a turn.
static double sine_of_hour(int64_t hour)
{
    static const double sines[] = {0, 0.5, 0.8660254037844386, 1, 0.8660254037844386, 0.5};
    return hour % 12 < 6 ? sines[hour % 6] : -sines[hour % 6];
}

// exp(-2 pi i k / n)
static Complex128 root(int64_t k, int64_t n)
{
    if (12 * k % n == 0)
        return (Complex128){sine_of_hour(12 * k / n + 3), -sine_of_hour(12 * k / n)};
    double angle = 6.283185307179586 * (double)k / (double)n;
    return (Complex128){m_cos(angle), -m_sin(angle)};
}

// ---- the split transform of a line

// Combines p transforms of length m, of which element k is at out[j * m + k], in place.
static void combine(const Fft *fft, Complex128 *out, int64_t p, int64_t m, int64_t step)
{
    Complex128 t[LARGEST_FACTOR];
    int64_t turn = fft->length / p; // the p-th root of 1 in the table
    for (int64_t k = 0; k < m; k++) {
        for (int64_t j = 0; j < p; j++)
            t[j] = j && k ? c_mul_128(out[j * m + k], fft->roots[j * k * step]) : out[j * m + k];
        for (int64_t q = 0; q < p; q++) {
            Complex128 sum = t[0];
            for (int64_t j = 1; 2 * j < p; j++) { // pairs: w^j and its conjugate
                Complex128 w = fft->roots[j * q % p * turn];
                Complex128 even = c_add_128(t[j], t[p - j]), odd = c_sub_128(t[j], t[p - j]);
                sum.re += w.re * even.re - w.im * odd.im;
                sum.im += w.re * even.im + w.im * odd.re;
            }
            if (p == 2) sum = q ? c_sub_128(t[0], t[1]) : c_add_128(t[0], t[1]);
            out[q * m + k] = sum;
        }
    }
}

// Of `n` elements, `stride` apart; `level` counts the factors that are split off already.
static void split(const Fft *fft, int level, int64_t n, const Complex128 *in, int64_t stride,
                  Complex128 *out)
{
    if (n == 1) {
        *out = *in;
        return;
    }
    int64_t p = fft->factors[level], m = n / p;
    for (int64_t j = 0; j < p; j++)
        split(fft, level + 1, m, in + j * stride, stride * p, out + j * m);
    combine(fft, out, p, m, stride);
}

// ---- Bluestein: j k = (j^2 + k^2 - (k - j)^2) / 2

static void convolve(const Fft *fft, Complex128 *data, Complex128 *other)
{
    for (int64_t i = 0; i < fft->n; i++) data[i] = c_mul_128(data[i], fft->chirp[i]);
    for (int64_t i = fft->n; i < fft->length; i++) data[i] = (Complex128){0, 0};
    split(fft, 0, fft->length, data, 1, other);
    for (int64_t i = 0; i < fft->length; i++) { // the conjugate, for the way back
        Complex128 product = c_mul_128(other[i], fft->spectrum[i]);
        data[i] = c_conj_128(product);
    }
    split(fft, 0, fft->length, data, 1, other);
    for (int64_t i = 0; i < fft->n; i++)
        other[i] = c_scale(c_mul_128(c_conj_128(other[i]), fft->chirp[i]),
                           1 / (double)fft->length);
}

static void prepare_chirp(Fft *fft)
{
    for (int64_t i = 0; i < fft->n; i++) {
        int64_t square = (int64_t)((uint64_t)i * (uint64_t)i % (uint64_t)(2 * fft->n));
        fft->chirp[i] = root(square, 2 * fft->n);
    }
    for (int64_t i = 0; i < fft->length; i++) fft->line[i] = (Complex128){0, 0};
    for (int64_t i = 0; i < fft->n; i++) {
        Complex128 back = c_conj_128(fft->chirp[i]);
        fft->line[i] = back;
        if (i) fft->line[fft->length - i] = back;
    }
    split(fft, 0, fft->length, fft->line, 1, fft->spectrum);
}

// ---- lines of one length

// False if a factor is too large.
static bool find_factors(Fft *fft)
{
    int64_t rest = fft->length;
    int count = 0;
    for (int64_t p = 2; p <= LARGEST_FACTOR && rest > 1; p++)
        for (; rest % p == 0; rest /= p) fft->factors[count++] = p;
    return rest == 1;
}

static bool fft_begin(Fft *fft, int64_t n)
{
    fft->n = fft->length = n;
    fft->memory = NULL;
    if (n > (int64_t)1 << 40) return raise_memory_error();
    bool direct = find_factors(fft);
    if (!direct) {
        for (fft->length = 1; fft->length < 2 * n - 1; fft->length *= 2) continue;
        find_factors(fft);
    }
    int64_t elements = (direct ? 3 : 4) * fft->length + (direct ? 0 : n);
    fft->memory = memory_alloc((size_t)elements * sizeof(Complex128));
    if (!fft->memory) return raise_memory_error();
    fft->roots = fft->memory;
    fft->line = fft->roots + fft->length;
    fft->out = fft->line + fft->length;
    fft->spectrum = fft->out + fft->length;
    fft->chirp = direct ? NULL : fft->spectrum + fft->length;
    for (int64_t i = 0; i < fft->length; i++) fft->roots[i] = root(i, fft->length);
    if (!direct) prepare_chirp(fft);
    return true;
}

static Complex128 exchanged(Complex128 x)
{
    return (Complex128){x.im, x.re};
}

// The transform of fft->line in fft->out; a line is overwritten.
static void transform(const Fft *fft, bool forward)
{
    for (int64_t i = 0; !forward && i < fft->n; i++) fft->line[i] = exchanged(fft->line[i]);
    if (fft->chirp)
        convolve(fft, fft->line, fft->out);
    else
        split(fft, 0, fft->n, fft->line, 1, fft->out);
    for (int64_t i = 0; !forward && i < fft->n; i++) fft->out[i] = exchanged(fft->out[i]);
}

// ---- tensors

// Elements before and after a dimension of a dense tensor.
static void around(const Tensor *tensor, int64_t dim, int64_t *before, int64_t *inner)
{
    *before = *inner = 1;
    for (int i = 0; i < dim; i++) *before *= tensor_size(tensor, i);
    for (int i = (int)dim + 1; i < tensor->ndim; i++) *inner *= tensor_size(tensor, i);
}

// Transforms all lines along a dimension of a dense complex128 tensor, in place.
static bool transform_dim(Tensor *work, int64_t dim, bool forward)
{
    Fft fft;
    int64_t n = tensor_size(work, (int)dim), before, inner;
    if (work->numel == 0) return true;
    if (!fft_begin(&fft, n)) return false;
    around(work, dim, &before, &inner);
    Complex128 *data = (Complex128 *)(void *)tensor_data(work);
    for (int64_t row = 0; row < before * inner; row++) {
        Complex128 *line = data + row / inner * n * inner + row % inner;
        for (int64_t i = 0; i < n; i++) fft.line[i] = line[i * inner];
        transform(&fft, forward);
        for (int64_t i = 0; i < n; i++) line[i * inner] = fft.out[i];
    }
    memory_free(fft.memory);
    return true;
}

// From the first half of each line to the real numbers that it is the transform of.
static bool transform_halves(Tensor *half, int64_t dim, Tensor *real)
{
    Fft fft;
    int64_t n = tensor_size(real, (int)dim), m = tensor_size(half, (int)dim), before, inner;
    if (real->numel == 0) return true;
    if (!fft_begin(&fft, n)) return false;
    around(real, dim, &before, &inner);
    const Complex128 *from = (const Complex128 *)(void *)tensor_data(half);
    double *to = (double *)(void *)tensor_data(real);
    for (int64_t row = 0; row < before * inner; row++) {
        const Complex128 *line = from + row / inner * m * inner + row % inner;
        double *out = to + row / inner * n * inner + row % inner;
        for (int64_t i = 0; i <= n / 2; i++) {
            Complex128 x = i < m ? line[i * inner] : (Complex128){0, 0};
            if (i == 0 || 2 * i == n) x.im = 0;
            fft.line[i] = x;
            if (i) fft.line[n - i] = c_conj_128(x);
        }
        transform(&fft, false);
        for (int64_t i = 0; i < n; i++) out[i * inner] = fft.out[i].re;
    }
    memory_free(fft.memory);
    return true;
}

// What the results are multiplied by: `mode` is 0 for 1, 1 for 1 / sqrt(n), 2 for 1 / n.
static double scale_of(int64_t mode, int64_t points)
{
    return mode == 0 ? 1 : mode == 1 ? 1 / sqrt((double)points) : 1 / (double)points;
}

static void scale_all(Tensor *work, double factor)
{
    double *data = (double *)(void *)tensor_data(work);
    int64_t n = tensor_dtype(work) == DTYPE_complex128 ? 2 * work->numel : work->numel;
    for (int64_t i = 0; factor != 1 && i < n; i++) data[i] *= factor;
}

// What double leaves of sums that cancel is no digit of a float32: a result in that precision has a
// zero for it.
static void drop_noise(Tensor *work, const Tensor *result)
{
    double *data = (double *)(void *)tensor_data(work), largest = 0;
    int64_t n = tensor_dtype(work) == DTYPE_complex128 ? 2 * work->numel : work->numel;
    if (dtype_to_real(tensor_dtype(result)) != DTYPE_float32) return;
    for (int64_t i = 0; i < n; i++)
        if (m_abs_double(data[i]) > largest) largest = m_abs_double(data[i]);
    for (int64_t i = 0; i < n; i++)
        if (m_abs_double(data[i]) < 0x1p-48 * largest) data[i] = 0;
}

static bool wrap_dims(const Tensor *self, int count, int64_t *dims)
{
    for (int i = 0; i < count; i++)
        if (!shape_wrap_dim(&dims[i], self->ndim)) return false;
    return true;
}

// A dense copy of the first argument.
static Value copy_of(const Tensor *self)
{
    Value copy = tensor_new(DTYPE_complex128, self->ndim, tensor_sizes(self));
    if (!copy || iterate_copy(as_tensor(copy), self)) return copy;
    drop(copy);
    return VALUE_ERROR;
}

// (self, dim, normalization, forward), and (self, dim, normalization, onesided): all dimensions as
// complex numbers; the first half of the last one is the result of the second row.
static bool fft_complex(OpCall *call, bool forward)
{
    Tensor *self = call_tensor(call, 0), *result = call->results[0].tensor;
    int64_t dims[TENSOR_MAX_DIMS], mode, points = 1;
    int count = call_ints(call, 1, dims);
    if (count < 0 || !wrap_dims(self, count, dims) || !call_int(call, 2, &mode)) return false;
    Value work = copy_of(self), part = VALUE_ERROR;
    bool done = work != VALUE_ERROR;
    for (int i = 0; done && i < count; i++) {
        points *= tensor_size(self, (int)dims[i]);
        done = transform_dim(as_tensor(work), dims[i], forward);
    }
    if (done) scale_all(as_tensor(work), scale_of(mode, points));
    int last = count ? (int)dims[count - 1] : 0;
    if (done) drop_noise(as_tensor(work), result);
    if (done && count) part = tensor_part(as_tensor(work), last, 0, tensor_size(result, last));
    done = done && iterate_copy(result, part ? as_tensor(part) : as_tensor(work));
    drop(part);
    drop(work);
    return done;
}

bool complex_fft(OpCall *call)
{
    return fft_complex(call, call_bool(call, 3));
}

bool complex_fft_of_reals(OpCall *call)
{
    return fft_complex(call, true);
}

// (self, dim, normalization, last_dim_size)
bool complex_fft_to_reals(OpCall *call)
{
    Tensor *self = call_tensor(call, 0), *result = call->results[0].tensor;
    int64_t dims[TENSOR_MAX_DIMS], mode, points = 1;
    int count = call_ints(call, 1, dims);
    if (count < 1 || !wrap_dims(self, count, dims) || !call_int(call, 2, &mode)) return false;
    Value work = copy_of(self);
    Value real = work ? tensor_new(DTYPE_float64, result->ndim, tensor_sizes(result)) : VALUE_ERROR;
    bool done = real != VALUE_ERROR;
    for (int i = 0; i < count; i++) points *= tensor_size(result, (int)dims[i]);
    for (int i = 0; done && i < count - 1; i++)
        done = transform_dim(as_tensor(work), dims[i], false);
    done = done && transform_halves(as_tensor(work), dims[count - 1], as_tensor(real));
    if (done) scale_all(as_tensor(real), scale_of(mode, points));
    if (done) drop_noise(as_tensor(real), result);
    done = done && iterate_copy(result, as_tensor(real));
    drop(real);
    drop(work);
    return done;
}
