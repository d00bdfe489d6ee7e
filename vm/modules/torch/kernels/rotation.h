// The rotation that the factorisations of real (factor.h) and of complex matrices share.
#pragma once

#include <math.h>

typedef struct Rotation {
    double cosine, sine;
} Rotation;

// The rotation that makes the off-diagonal element of [[p, off], [off, q]] zero.
static inline Rotation rotation_for(double p, double q, double off)
{
    double theta = (q - p) / (2 * off);
    double tangent = (theta >= 0 ? 1 : -1) / (fabs(theta) + hypot(theta, 1));
    double cosine = 1 / hypot(tangent, 1);
    return (Rotation){cosine, tangent * cosine};
}
