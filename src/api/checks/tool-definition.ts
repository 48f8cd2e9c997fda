// Reports an unusable tool definition as 422 at `body.definition`, with the first rule that it violates.
import { AppError } from '../../domain/errors.ts'
import { InvalidRequestError } from '../http/error-response.ts'

export async function withDefinitionErrors<T>(action: () => T | Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'INVALID_DEFINITION') throw error
    throw new InvalidRequestError([{ loc: ['body', 'definition'], msg: error.message, type: error.code }])
  }
}
