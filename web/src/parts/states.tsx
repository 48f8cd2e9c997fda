// Placeholders for missing content: loading, empty and error.
import { Alert, Button, Skeleton } from '@mantine/core'
import type { ReactNode } from 'react'
import { errorMessage } from '../api.ts'
import { textsOf } from '../text/texts.ts'
import { Icon, type IconName } from './icon.tsx'

export const ErrorAlert = ({ error, retry }: { error: unknown; retry?: () => void }) => (
  <Alert color="red" variant="light" role="alert" icon={<Icon name="alert" />} title={textsOf('parts')('error')}>
    <p className="small" style={{ margin: 0 }}>
      {errorMessage(error)}
    </p>
    {retry !== undefined && (
      <Button mt="sm" size="xs" variant="default" onClick={retry} leftSection={<Icon name="retry" size={15} />}>
        {textsOf('parts')('try_again')}
      </Button>
    )}
  </Alert>
)

interface EmptyProps {
  icon: IconName
  title: string
  /** `h1` when the page has no other heading. */
  heading?: 'h1' | 'h2'
  children?: ReactNode
}

export const EmptyState = ({ icon, title, heading: Heading = 'h2', children }: EmptyProps) => (
  <div className="empty">
    <Icon name={icon} size={36} />
    <Heading>{title}</Heading>
    {children !== undefined && <p>{children}</p>}
  </div>
)

export const LoadingSkeleton = ({ lines = 4 }: { lines?: number }) => (
  <div role="status" aria-label={textsOf('parts')('loading')} className="card card-pad">
    {Array.from({ length: lines }, (_, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same.
      <Skeleton key={at} height={14} my={12} width={`${92 - ((at * 17) % 40)}%`} />
    ))}
  </div>
)
