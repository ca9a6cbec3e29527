// The kernel table of the including file, under the name CK_VARIANT.
const ck_variant CK_VARIANT = {
    .tile = {[CK_F32] = ck_tile_f32, [CK_F16] = ck_tile_f16, [CK_BF16] = ck_tile_bf16,
             [CK_Q4_0] = ck_tile_q4_0, [CK_Q4_1] = ck_tile_q4_1, [CK_Q5_0] = ck_tile_q5_0,
             [CK_Q5_1] = ck_tile_q5_1, [CK_Q8_0] = ck_tile_q8_0, [CK_Q2_K] = ck_tile_q2_K,
             [CK_Q3_K] = ck_tile_q3_K, [CK_Q4_K] = ck_tile_q4_K, [CK_Q5_K] = ck_tile_q5_K,
             [CK_Q6_K] = ck_tile_q6_K, [CK_SLOT_Q2_B] = ck_tile_q2_B, [CK_Q2_0] = ck_tile_q2_0,
             [CK_TQ2_0] = ck_tile_tq2_0, [CK_MXFP4] = ck_tile_mxfp4, [CK_IQ4_NL] = ck_tile_iq4_nl,
             [CK_IQ4_XS] = ck_tile_iq4_xs, [CK_IQ2_XXS] = ck_tile_iq2_xxs, [CK_IQ2_XS] = ck_tile_iq2_xs,
             [CK_IQ2_S] = ck_tile_iq2_s, [CK_IQ3_XXS] = ck_tile_iq3_xxs, [CK_IQ3_S] = ck_tile_iq3_s},
    .tiled = {[CK_Q4_0] = ck_tiled_q4_0, [CK_Q4_1] = ck_tiled_q4_1, [CK_Q5_0] = ck_tiled_q5_0,
              [CK_Q5_1] = ck_tiled_q5_1, [CK_Q3_K] = ck_tiled_q3_K, [CK_Q5_K] = ck_tiled_q5_K,
              [CK_Q8_0] = ck_tiled_q8_0, [CK_Q2_K] = ck_tiled_q2_K,
              [CK_Q4_K] = ck_tiled_q4_K, [CK_Q6_K] = ck_tiled_q6_K,
              [CK_SLOT_Q2_B] = ck_tiled_q2_B, [CK_Q2_0] = ck_tiled_q2_0,
              [CK_TQ2_0] = ck_tiled_tq2_0, [CK_MXFP4] = ck_tiled_mxfp4,
              [CK_IQ4_NL] = ck_tiled_iq4_nl, [CK_IQ4_XS] = ck_tiled_iq4_xs},
#ifdef CK_WIDE_KERNELS
    .wide = CK_WIDE_KERNELS,
#endif
    .quantize = ck_quantize,
    .round_halves = ck_round_halves,
    .norm = ck_norm,
    .head = ck_head,
    .attend = ck_attend,
    .gate = ck_gate,
    .scale = ck_scale,
    .delta_input = ck_delta_input,
    .delta = ck_delta,
    .panel = CK_MATMUL_COLUMNS,
    .multiply = ck_multiply,
#ifdef CK_MULTIPLY_ROUNDED
    .multiply_rounded = CK_MULTIPLY_ROUNDED,
    .round_row = ck_round_row,
#endif
    .norm_gradient = ck_norm_gradient,
    .gate_gradient = ck_gate_gradient,
    .delta_gradient = ck_delta_gradient,
};
