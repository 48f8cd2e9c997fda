// The parts of the next question besides its text: attachments, and the sources to which it is limited.
import { useAttachments } from './use-attachments.ts'
import { useQuestionLimits } from './use-question-limits.ts'

export function useQuestionParts() {
  const attachments = useAttachments()
  const limits = useQuestionLimits()
  return {
    /** For the fields that change them. */
    fields: { attachments, limits },
    read: () => ({ files: attachments.files(), sources: limits.sources }),
    clear() {
      attachments.clear()
      limits.clear()
    },
  }
}
