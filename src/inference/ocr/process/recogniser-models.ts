// The two models that find and read text. Their folder has the origin and the licence.
import { readFileSync } from 'node:fs'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { LINE_HEIGHT } from '../cut-line.ts'
import { CHARACTERS_PATH, DETECT_PATH, RECOGNISE_PATH } from '../model-files.ts'
import type { RecognitionModels } from '../read-picture.ts'

export async function openRecognitionModels(): Promise<RecognitionModels> {
  const detector = await openSession(DETECT_PATH)
  const reader = await openSession(RECOGNISE_PATH)
  // The last class is the space.
  const characters = [...readFileSync(CHARACTERS_PATH, 'utf8').replace(/\n$/, '').split('\n'), ' ']
  return {
    characters,
    async detect(values, { width, height }) {
      return { width, height, values: await runModel(detector, values, [1, 3, height, width]) }
    },
    async recognise(values, width) {
      const output = await runModel(reader, values, [1, 3, LINE_HEIGHT, width])
      return { values: output, steps: output.length / (characters.length + 1) }
    },
  }
}

const openSession = (path: string) =>
  InferenceSession.create(path, {
    executionProviders: ['cpu'],
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    // Would keep the memory of the largest picture and of the widest line.
    enableCpuMemArena: false,
    // Would plan memory per shape, and nearly every line has its own.
    enableMemPattern: false,
  })

async function runModel(session: InferenceSession, values: Float32Array, shape: number[]): Promise<Float32Array> {
  const [input = ''] = session.inputNames
  const [name = ''] = session.outputNames
  const output = await session.run({ [input]: new Tensor('float32', values, shape) })
  const data = output[name]?.data
  if (!(data instanceof Float32Array)) throw new Error('The output of the model is not a list of numbers.')
  return data
}
