// math.gamma() and math.lgamma(): Lanczos' approximation with g = 6.0246..., as a quotient of two
// polynomials (coefficients by Boost's authors, as CPython has them, so that the results agree to
// the last bit). Left of zero by Euler's reflection.
#include "vm/modules/math/mod_math.h"

#include <math.h>

#define LANCZOS_COUNT 13
#define LARGEST_FACTORIAL 23 // gamma(23) = 22!, the largest factorial that is an exact double

static const double pi = 3.141592653589793238462643383279502884;
static const double log_pi = 1.144729885849400174143427351353058711647;
static const double lanczos_g = 6.024680040776729583740234375;
static const double lanczos_g_minus_half = 5.524680040776729583740234375;

static const double numerators[LANCZOS_COUNT] = {
    23531376880.410759688572007674451636754734846804940,
    42919803642.649098768957899047001988850926355848959,
    35711959237.355668049440185451547166705960488635843,
    17921034426.037209699919755754458931112671403265390,
    6039542586.3520280050642916443072979210699388420708,
    1439720407.3117216736632230727949123939715485786372,
    248874557.86205415651146038641322942321632125127801,
    31426415.585400194380614231628318205362874684987640,
    2876370.6289353724412254090516208496135991145378768,
    186056.26539522349504029498971604569928220784236328,
    8071.6720023658162106380029022722506138218516325024,
    210.82427775157934587250973392071336271166969580291,
    2.5066282746310002701649081771338373386264310793408};

// (x + 0) * (x + 1) * ... * (x + 11)
static const double denominators[LANCZOS_COUNT] = {
    0.0,       39916800.0, 120543840.0, 150917976.0, 105258076.0, 45995730.0, 13339535.0,
    2637558.0, 357423.0,   32670.0,     1925.0,      66.0,        1.0};

// sin(pi * x), exact where x is a multiple of a half.
static double sine_of_pi_times(double x)
{
    double y = fmod(fabs(x), 2.0), sine;
    switch ((int)round(2.0 * y)) {
    case 0: sine = sin(pi * y); break;
    case 1: sine = cos(pi * (y - 0.5)); break;
    case 2: sine = sin(pi * (1.0 - y)); break;
    case 3: sine = -cos(pi * (y - 1.5)); break;
    default: sine = sin(pi * (y - 2.0)); break;
    }
    return copysign(1.0, x) * sine;
}

// For large x both polynomials are taken in 1/x, or they would overflow.
static double lanczos_sum(double x)
{
    double above = 0.0, below = 0.0;
    if (x < 5.0) {
        for (int i = LANCZOS_COUNT; i-- > 0;) {
            above = above * x + numerators[i];
            below = below * x + denominators[i];
        }
    } else {
        for (int i = 0; i < LANCZOS_COUNT; i++) {
            above = above / x + numerators[i];
            below = below / x + denominators[i];
        }
    }
    return above / below;
}

static double factorial_double(int n)
{
    double product = 1.0;
    for (int i = 2; i <= n; i++) product *= i;
    return product;
}

// What rounding took from size + g - 1/2, as a part of it.
static double lost_part(double size, double y)
{
    double rest;
    if (size > lanczos_g_minus_half) {
        double q = y - size;
        rest = q - lanczos_g_minus_half;
    } else {
        double q = y - lanczos_g_minus_half;
        rest = q - size;
    }
    return rest * lanczos_g / y;
}

// For 1e-20 <= |x| <= 200; the power is taken in two halves where it alone would overflow.
static double gamma_by_lanczos(double x)
{
    double size = fabs(x), y = size + lanczos_g_minus_half, lost = lost_part(size, y), r;
    bool split = size >= 140.0;
    double power = split ? pow(y, size / 2.0 - 0.25) : pow(y, size - 0.5);
    if (x < 0.0) {
        r = -pi / sine_of_pi_times(size) / size * exp(y) / lanczos_sum(size);
        r -= lost * r;
        r /= power;
        return split ? r / power : r;
    }
    r = lanczos_sum(size) / exp(y);
    r += lost * r;
    r *= power;
    return split ? r * power : r;
}

static double check_range(double result, MathFailure *failure)
{
    if (isinf(result)) *failure = MATH_RANGE;
    return result;
}

double math_gamma_of(double x, MathFailure *failure)
{
    if (isnan(x) || x == INFINITY) return x;
    if (isinf(x) || x == 0.0 || (x < 0.0 && x == floor(x))) {
        *failure = MATH_DOMAIN;
        return 0.0;
    }
    if (x == floor(x) && x <= LARGEST_FACTORIAL) return factorial_double((int)x - 1);
    if (fabs(x) < 1e-20) return check_range(1.0 / x, failure);
    if (x > 200.0) return check_range(INFINITY, failure);
    if (x < -200.0) return 0.0 / sine_of_pi_times(x);
    return check_range(gamma_by_lanczos(x), failure);
}

double math_lgamma_of(double x, MathFailure *failure)
{
    if (isnan(x)) return x;
    if (isinf(x)) return INFINITY;
    if (x == floor(x) && x <= 2.0) {
        if (x <= 0.0) *failure = MATH_DOMAIN;
        return 0.0;
    }
    double size = fabs(x);
    if (size < 1e-20) return -log(size);
    double r = log(lanczos_sum(size)) - lanczos_g;
    r += (size - 0.5) * (log(size + lanczos_g - 0.5) - 1);
    if (x < 0.0) r = log_pi - log(fabs(sine_of_pi_times(size))) - log(size) - r;
    return check_range(r, failure);
}
