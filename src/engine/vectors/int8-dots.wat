;; Dot products of one query with many rows of int8, each times its row's scale. Built by docs/generate-wasm.ts.
(module
  (import "engine" "memory" (memory 1 65536 shared))

  ;; A row is `width` values, a multiple of 16, and in the 16 bytes after them its scale as f32.
  ;; `query` is i16, so that only the rows need widening. `slots` lists row numbers, `out` takes one f32 each.
  (func (export "dots")
    (param $query i32) (param $rows i32) (param $width i32) (param $slots i32) (param $count i32) (param $out i32)
    (local $stride i32) (local $row i32) (local $at i32) (local $weights i32) (local $end i32)
    (local $values v128) (local $sum v128) (local $other v128)
    (local.set $stride (i32.add (local.get $width) (i32.const 16)))
    (local.set $end (i32.add (local.get $out) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $out) (local.get $end)))
        (local.set $row
          (i32.add (local.get $rows) (i32.mul (i32.load (local.get $slots)) (local.get $stride))))
        (local.set $at (i32.const 0))
        (local.set $weights (local.get $query))
        (local.set $sum (v128.const i32x4 0 0 0 0))
        (local.set $other (v128.const i32x4 0 0 0 0))
        (loop $more
          (local.set $values (v128.load (i32.add (local.get $row) (local.get $at))))
          (local.set $sum
            (i32x4.add (local.get $sum)
              (i32x4.dot_i16x8_s (i16x8.extend_low_i8x16_s (local.get $values)) (v128.load (local.get $weights)))))
          (local.set $other
            (i32x4.add (local.get $other)
              (i32x4.dot_i16x8_s (i16x8.extend_high_i8x16_s (local.get $values))
                (v128.load offset=16 (local.get $weights)))))
          (local.set $weights (i32.add (local.get $weights) (i32.const 32)))
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (br_if $more (i32.lt_u (local.get $at) (local.get $width))))
        (local.set $sum (i32x4.add (local.get $sum) (local.get $other)))
        (f32.store (local.get $out)
          (f32.mul
            (f32.load (i32.add (local.get $row) (local.get $width)))
            (f32.convert_i32_s
              (i32.add
                (i32.add (i32x4.extract_lane 0 (local.get $sum)) (i32x4.extract_lane 1 (local.get $sum)))
                (i32.add (i32x4.extract_lane 2 (local.get $sum)) (i32x4.extract_lane 3 (local.get $sum)))))))
        (local.set $slots (i32.add (local.get $slots) (i32.const 4)))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (br $next)))))
