import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, '../../../models/pp-ocrv6-small')
export const DETECT_PATH = join(FOLDER, 'detect.onnx')
export const RECOGNISE_PATH = join(FOLDER, 'recognise.onnx')
export const CHARACTERS_PATH = join(FOLDER, 'characters.txt')
