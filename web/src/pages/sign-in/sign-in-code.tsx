// The code of the second factor, which the service asks for once the password is right.
import { TextInput } from '@mantine/core'
import { ApiError } from '../../../../src/client/api.ts'
import { errorMessage } from '../../api.ts'
import { textsOf } from '../../text/texts.ts'

const codeOf = (error: unknown): string | null => (error instanceof ApiError ? error.error_code : null)

/** Whether the error belongs to the code, not to the password. */
export const isAskingForCode = (error: unknown): boolean =>
  codeOf(error) === 'SECOND_FACTOR_REQUIRED' || codeOf(error) === 'SECOND_FACTOR_WRONG'

interface CodeFieldProps {
  code: string
  onChange: (code: string) => void
  error: Error | null
}

export const CodeField = ({ code, onChange, error }: CodeFieldProps) => (
  <TextInput
    label={textsOf('sign_in.code')('label')}
    description={textsOf('sign_in.code')('help')}
    name="otp"
    autoComplete="one-time-code"
    value={code}
    onChange={(event) => onChange(event.currentTarget.value)}
    error={codeOf(error) === 'SECOND_FACTOR_WRONG' && error !== null ? errorMessage(error) : undefined}
    maxLength={64}
    size="md"
    autoFocus
  />
)
