#ifndef CKERNELS_QUANTIZE_H
#define CKERNELS_QUANTIZE_H

#include <stddef.h>
#include <stdint.h>

// The block formats of GGUF (ggml) and one of our own, in portable C: the reference that every faster kernel is tested
// against.
// Nothing here fuses a multiplication with an addition, so the results are the same on every machine.
// `blocks` counts blocks, of as many values as Swift's TensorType says.
// Input and output need no alignment beyond that of their types and must not overlap.

/// IEEE 754 binary16 to binary32; exact, signalling NaN becomes quiet.
float ck_half_to_float(uint16_t half);
/// IEEE 754 binary32 to binary16, to nearest, ties to even; beyond 65,519 becomes infinity.
uint16_t ck_float_to_half(float value);

void ck_dequantize_f16(const uint8_t *bytes, float *values, size_t blocks);
void ck_dequantize_bf16(const uint8_t *bytes, float *values, size_t blocks);
void ck_dequantize_q4_0(const uint8_t *bytes, float *values, size_t blocks);
void ck_dequantize_q4_1(const uint8_t *bytes, float *values, size_t blocks);
void ck_dequantize_q5_0(const uint8_t *bytes, float *values, size_t blocks);
void ck_dequantize_q5_1(const uint8_t *bytes, float *values, size_t blocks);
void ck_dequantize_q8_0(const uint8_t *bytes, float *values, size_t blocks);
void ck_dequantize_q2_k(const uint8_t *bytes, float *values, size_t blocks);
void ck_dequantize_q3_k(const uint8_t *bytes, float *values, size_t blocks);
void ck_dequantize_q4_k(const uint8_t *bytes, float *values, size_t blocks);
void ck_dequantize_q5_k(const uint8_t *bytes, float *values, size_t blocks);
void ck_dequantize_q6_k(const uint8_t *bytes, float *values, size_t blocks);
void ck_dequantize_q2_b(const uint8_t *bytes, float *values, size_t blocks);
void ck_dequantize_q2_0(const uint8_t *bytes, float *values, size_t blocks);
void ck_dequantize_tq2_0(const uint8_t *bytes, float *values, size_t blocks);
void ck_dequantize_mxfp4(const uint8_t *bytes, float *values, size_t blocks);
void ck_dequantize_iq4_nl(const uint8_t *bytes, float *values, size_t blocks);
void ck_dequantize_iq4_xs(const uint8_t *bytes, float *values, size_t blocks);
void ck_dequantize_iq2_xxs(const uint8_t *bytes, float *values, size_t blocks);
void ck_dequantize_iq2_xs(const uint8_t *bytes, float *values, size_t blocks);
void ck_dequantize_iq2_s(const uint8_t *bytes, float *values, size_t blocks);
void ck_dequantize_iq3_xxs(const uint8_t *bytes, float *values, size_t blocks);
void ck_dequantize_iq3_s(const uint8_t *bytes, float *values, size_t blocks);

// Quantizers expect finite values; for others the result is some valid block.
void ck_quantize_f16(const float *values, uint8_t *bytes, size_t blocks);
void ck_quantize_bf16(const float *values, uint8_t *bytes, size_t blocks);
void ck_quantize_q8_0(const float *values, uint8_t *bytes, size_t blocks);

// These can weigh errors: with `importance` (columns,) of the columns of rows of `row_blocks` blocks each, not negative, for
// whole rows; NULL for none.
void ck_quantize_q4_0(const float *values, const float *importance, size_t row_blocks, uint8_t *bytes, size_t blocks);
void ck_quantize_q2_k(const float *values, const float *importance, size_t row_blocks, uint8_t *bytes, size_t blocks);
void ck_quantize_q4_k(const float *values, const float *importance, size_t row_blocks, uint8_t *bytes, size_t blocks);
void ck_quantize_q5_k(const float *values, const float *importance, size_t row_blocks, uint8_t *bytes, size_t blocks);
void ck_quantize_q6_k(const float *values, const float *importance, size_t row_blocks, uint8_t *bytes, size_t blocks);
/// The scale is the half with the least squared error, weighed or not, exactly.
void ck_quantize_q2_b(const float *values, const float *importance, size_t row_blocks, uint8_t *bytes, size_t blocks);

#endif
