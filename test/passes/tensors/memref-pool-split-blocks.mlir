// RUN: forebay-opt %s --split-input-file --memref-pool-split-blocks | FileCheck %s
// RUN: forebay-opt %s --split-input-file --memref-pool-split-blocks --memref-pool-join-blocks | FileCheck %s --check-prefix=JOINED

// 25 writes in a block: two segments of 12, and one of one. Slices of a tensor that the block does not write are made
// inside of the segment.
// CHECK:       func.func private @op_segment_1(%[[X:.*]]: tensor<25x16xi8>, %[[Y:.*]]: tensor<25x16xi8>) -> tensor<25x16xi8> attributes {memref_pool.segment}
// CHECK:         %[[S:.*]] = tensor.extract_slice %[[X]][0, 0]
// CHECK:         tensor.insert_slice %[[S]] into %[[Y]][0, 0]
// CHECK-COUNT-11: tensor.insert_slice
// CHECK-NOT:     tensor.insert_slice
// CHECK:       func.func private @op_segment_2(
// CHECK-COUNT-12: tensor.insert_slice
// CHECK:       func.func private @op_segment_3(
// CHECK:         tensor.insert_slice
// CHECK-NOT:   tensor.insert_slice
// CHECK:       func.func private @op(
// CHECK:         %[[A:.*]] = call @op_segment_1(%{{.*}}, %{{.*}}) {memref_pool.segment}
// CHECK:         %[[B:.*]] = call @op_segment_2(%{{.*}}, %[[A]])
// CHECK:         %[[C:.*]] = call @op_segment_3(%{{.*}}, %[[B]])
// CHECK:         return %[[C]]
// JOINED-NOT:  segment
// JOINED:      func.func private @op(
// JOINED-COUNT-25: tensor.insert_slice
// JOINED-NOT:  segment
func.func private @op(%x: tensor<25x16xi8>, %y0: tensor<25x16xi8>) -> tensor<25x16xi8> {
  %s0 = tensor.extract_slice %x[0, 0] [1, 16] [1, 1] : tensor<25x16xi8> to tensor<1x16xi8>
  %y1 = tensor.insert_slice %s0 into %y0[0, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<25x16xi8>
  %s1 = tensor.extract_slice %x[1, 0] [1, 16] [1, 1] : tensor<25x16xi8> to tensor<1x16xi8>
  %y2 = tensor.insert_slice %s1 into %y1[1, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<25x16xi8>
  %s2 = tensor.extract_slice %x[2, 0] [1, 16] [1, 1] : tensor<25x16xi8> to tensor<1x16xi8>
  %y3 = tensor.insert_slice %s2 into %y2[2, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<25x16xi8>
  %s3 = tensor.extract_slice %x[3, 0] [1, 16] [1, 1] : tensor<25x16xi8> to tensor<1x16xi8>
  %y4 = tensor.insert_slice %s3 into %y3[3, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<25x16xi8>
  %s4 = tensor.extract_slice %x[4, 0] [1, 16] [1, 1] : tensor<25x16xi8> to tensor<1x16xi8>
  %y5 = tensor.insert_slice %s4 into %y4[4, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<25x16xi8>
  %s5 = tensor.extract_slice %x[5, 0] [1, 16] [1, 1] : tensor<25x16xi8> to tensor<1x16xi8>
  %y6 = tensor.insert_slice %s5 into %y5[5, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<25x16xi8>
  %s6 = tensor.extract_slice %x[6, 0] [1, 16] [1, 1] : tensor<25x16xi8> to tensor<1x16xi8>
  %y7 = tensor.insert_slice %s6 into %y6[6, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<25x16xi8>
  %s7 = tensor.extract_slice %x[7, 0] [1, 16] [1, 1] : tensor<25x16xi8> to tensor<1x16xi8>
  %y8 = tensor.insert_slice %s7 into %y7[7, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<25x16xi8>
  %s8 = tensor.extract_slice %x[8, 0] [1, 16] [1, 1] : tensor<25x16xi8> to tensor<1x16xi8>
  %y9 = tensor.insert_slice %s8 into %y8[8, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<25x16xi8>
  %s9 = tensor.extract_slice %x[9, 0] [1, 16] [1, 1] : tensor<25x16xi8> to tensor<1x16xi8>
  %y10 = tensor.insert_slice %s9 into %y9[9, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<25x16xi8>
  %s10 = tensor.extract_slice %x[10, 0] [1, 16] [1, 1] : tensor<25x16xi8> to tensor<1x16xi8>
  %y11 = tensor.insert_slice %s10 into %y10[10, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<25x16xi8>
  %s11 = tensor.extract_slice %x[11, 0] [1, 16] [1, 1] : tensor<25x16xi8> to tensor<1x16xi8>
  %y12 = tensor.insert_slice %s11 into %y11[11, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<25x16xi8>
  %s12 = tensor.extract_slice %x[12, 0] [1, 16] [1, 1] : tensor<25x16xi8> to tensor<1x16xi8>
  %y13 = tensor.insert_slice %s12 into %y12[12, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<25x16xi8>
  %s13 = tensor.extract_slice %x[13, 0] [1, 16] [1, 1] : tensor<25x16xi8> to tensor<1x16xi8>
  %y14 = tensor.insert_slice %s13 into %y13[13, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<25x16xi8>
  %s14 = tensor.extract_slice %x[14, 0] [1, 16] [1, 1] : tensor<25x16xi8> to tensor<1x16xi8>
  %y15 = tensor.insert_slice %s14 into %y14[14, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<25x16xi8>
  %s15 = tensor.extract_slice %x[15, 0] [1, 16] [1, 1] : tensor<25x16xi8> to tensor<1x16xi8>
  %y16 = tensor.insert_slice %s15 into %y15[15, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<25x16xi8>
  %s16 = tensor.extract_slice %x[16, 0] [1, 16] [1, 1] : tensor<25x16xi8> to tensor<1x16xi8>
  %y17 = tensor.insert_slice %s16 into %y16[16, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<25x16xi8>
  %s17 = tensor.extract_slice %x[17, 0] [1, 16] [1, 1] : tensor<25x16xi8> to tensor<1x16xi8>
  %y18 = tensor.insert_slice %s17 into %y17[17, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<25x16xi8>
  %s18 = tensor.extract_slice %x[18, 0] [1, 16] [1, 1] : tensor<25x16xi8> to tensor<1x16xi8>
  %y19 = tensor.insert_slice %s18 into %y18[18, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<25x16xi8>
  %s19 = tensor.extract_slice %x[19, 0] [1, 16] [1, 1] : tensor<25x16xi8> to tensor<1x16xi8>
  %y20 = tensor.insert_slice %s19 into %y19[19, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<25x16xi8>
  %s20 = tensor.extract_slice %x[20, 0] [1, 16] [1, 1] : tensor<25x16xi8> to tensor<1x16xi8>
  %y21 = tensor.insert_slice %s20 into %y20[20, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<25x16xi8>
  %s21 = tensor.extract_slice %x[21, 0] [1, 16] [1, 1] : tensor<25x16xi8> to tensor<1x16xi8>
  %y22 = tensor.insert_slice %s21 into %y21[21, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<25x16xi8>
  %s22 = tensor.extract_slice %x[22, 0] [1, 16] [1, 1] : tensor<25x16xi8> to tensor<1x16xi8>
  %y23 = tensor.insert_slice %s22 into %y22[22, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<25x16xi8>
  %s23 = tensor.extract_slice %x[23, 0] [1, 16] [1, 1] : tensor<25x16xi8> to tensor<1x16xi8>
  %y24 = tensor.insert_slice %s23 into %y23[23, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<25x16xi8>
  %s24 = tensor.extract_slice %x[24, 0] [1, 16] [1, 1] : tensor<25x16xi8> to tensor<1x16xi8>
  %y25 = tensor.insert_slice %s24 into %y24[24, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<25x16xi8>
  return %y25 : tensor<25x16xi8>
}
func.func @main(%x: tensor<25x16xi8>) -> tensor<25x16xi8> {
  %e = tensor.empty() : tensor<25x16xi8>
  %r = call @op(%x, %e) : (tensor<25x16xi8>, tensor<25x16xi8>) -> tensor<25x16xi8>
  return %r : tensor<25x16xi8>
}

// -----

// 24 writes stay.
// CHECK-LABEL: func.func private @short(
// CHECK-NOT:   call
// CHECK:       return
func.func private @short(%x: tensor<24x16xi8>, %y0: tensor<24x16xi8>) -> tensor<24x16xi8> {
  %s0 = tensor.extract_slice %x[0, 0] [1, 16] [1, 1] : tensor<24x16xi8> to tensor<1x16xi8>
  %y1 = tensor.insert_slice %s0 into %y0[0, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<24x16xi8>
  %s1 = tensor.extract_slice %x[1, 0] [1, 16] [1, 1] : tensor<24x16xi8> to tensor<1x16xi8>
  %y2 = tensor.insert_slice %s1 into %y1[1, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<24x16xi8>
  %s2 = tensor.extract_slice %x[2, 0] [1, 16] [1, 1] : tensor<24x16xi8> to tensor<1x16xi8>
  %y3 = tensor.insert_slice %s2 into %y2[2, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<24x16xi8>
  %s3 = tensor.extract_slice %x[3, 0] [1, 16] [1, 1] : tensor<24x16xi8> to tensor<1x16xi8>
  %y4 = tensor.insert_slice %s3 into %y3[3, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<24x16xi8>
  %s4 = tensor.extract_slice %x[4, 0] [1, 16] [1, 1] : tensor<24x16xi8> to tensor<1x16xi8>
  %y5 = tensor.insert_slice %s4 into %y4[4, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<24x16xi8>
  %s5 = tensor.extract_slice %x[5, 0] [1, 16] [1, 1] : tensor<24x16xi8> to tensor<1x16xi8>
  %y6 = tensor.insert_slice %s5 into %y5[5, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<24x16xi8>
  %s6 = tensor.extract_slice %x[6, 0] [1, 16] [1, 1] : tensor<24x16xi8> to tensor<1x16xi8>
  %y7 = tensor.insert_slice %s6 into %y6[6, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<24x16xi8>
  %s7 = tensor.extract_slice %x[7, 0] [1, 16] [1, 1] : tensor<24x16xi8> to tensor<1x16xi8>
  %y8 = tensor.insert_slice %s7 into %y7[7, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<24x16xi8>
  %s8 = tensor.extract_slice %x[8, 0] [1, 16] [1, 1] : tensor<24x16xi8> to tensor<1x16xi8>
  %y9 = tensor.insert_slice %s8 into %y8[8, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<24x16xi8>
  %s9 = tensor.extract_slice %x[9, 0] [1, 16] [1, 1] : tensor<24x16xi8> to tensor<1x16xi8>
  %y10 = tensor.insert_slice %s9 into %y9[9, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<24x16xi8>
  %s10 = tensor.extract_slice %x[10, 0] [1, 16] [1, 1] : tensor<24x16xi8> to tensor<1x16xi8>
  %y11 = tensor.insert_slice %s10 into %y10[10, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<24x16xi8>
  %s11 = tensor.extract_slice %x[11, 0] [1, 16] [1, 1] : tensor<24x16xi8> to tensor<1x16xi8>
  %y12 = tensor.insert_slice %s11 into %y11[11, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<24x16xi8>
  %s12 = tensor.extract_slice %x[12, 0] [1, 16] [1, 1] : tensor<24x16xi8> to tensor<1x16xi8>
  %y13 = tensor.insert_slice %s12 into %y12[12, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<24x16xi8>
  %s13 = tensor.extract_slice %x[13, 0] [1, 16] [1, 1] : tensor<24x16xi8> to tensor<1x16xi8>
  %y14 = tensor.insert_slice %s13 into %y13[13, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<24x16xi8>
  %s14 = tensor.extract_slice %x[14, 0] [1, 16] [1, 1] : tensor<24x16xi8> to tensor<1x16xi8>
  %y15 = tensor.insert_slice %s14 into %y14[14, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<24x16xi8>
  %s15 = tensor.extract_slice %x[15, 0] [1, 16] [1, 1] : tensor<24x16xi8> to tensor<1x16xi8>
  %y16 = tensor.insert_slice %s15 into %y15[15, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<24x16xi8>
  %s16 = tensor.extract_slice %x[16, 0] [1, 16] [1, 1] : tensor<24x16xi8> to tensor<1x16xi8>
  %y17 = tensor.insert_slice %s16 into %y16[16, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<24x16xi8>
  %s17 = tensor.extract_slice %x[17, 0] [1, 16] [1, 1] : tensor<24x16xi8> to tensor<1x16xi8>
  %y18 = tensor.insert_slice %s17 into %y17[17, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<24x16xi8>
  %s18 = tensor.extract_slice %x[18, 0] [1, 16] [1, 1] : tensor<24x16xi8> to tensor<1x16xi8>
  %y19 = tensor.insert_slice %s18 into %y18[18, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<24x16xi8>
  %s19 = tensor.extract_slice %x[19, 0] [1, 16] [1, 1] : tensor<24x16xi8> to tensor<1x16xi8>
  %y20 = tensor.insert_slice %s19 into %y19[19, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<24x16xi8>
  %s20 = tensor.extract_slice %x[20, 0] [1, 16] [1, 1] : tensor<24x16xi8> to tensor<1x16xi8>
  %y21 = tensor.insert_slice %s20 into %y20[20, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<24x16xi8>
  %s21 = tensor.extract_slice %x[21, 0] [1, 16] [1, 1] : tensor<24x16xi8> to tensor<1x16xi8>
  %y22 = tensor.insert_slice %s21 into %y21[21, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<24x16xi8>
  %s22 = tensor.extract_slice %x[22, 0] [1, 16] [1, 1] : tensor<24x16xi8> to tensor<1x16xi8>
  %y23 = tensor.insert_slice %s22 into %y22[22, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<24x16xi8>
  %s23 = tensor.extract_slice %x[23, 0] [1, 16] [1, 1] : tensor<24x16xi8> to tensor<1x16xi8>
  %y24 = tensor.insert_slice %s23 into %y23[23, 0] [1, 16] [1, 1] : tensor<1x16xi8> into tensor<24x16xi8>
  return %y24 : tensor<24x16xi8>
}
