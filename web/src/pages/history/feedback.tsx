import { Badge } from '@mantine/core'
import { textsOf } from '../../text/texts.ts'

const COLOURS = { like: 'green', dislike: 'red', mixed: 'yellow' } as const

export const Feedback = ({ is }: { is: keyof typeof COLOURS | null }) =>
  is === null ? (
    <span className="dimmed">–</span>
  ) : (
    <Badge color={COLOURS[is]} variant="light" tt="none">
      {textsOf('admin.history')(`feedbacks.${is}`)}
    </Badge>
  )
