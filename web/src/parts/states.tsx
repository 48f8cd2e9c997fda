// What stands where there is nothing to show: nothing yet, nothing at all, or an error.
import { Alert, Button, Skeleton } from '@mantine/core'
import type { ReactNode } from 'react'
import { sentenceOf } from '../api.ts'
import { Icon, type IconName } from './icon.tsx'

export const Failure = ({ error, retry }: { error: unknown; retry?: () => void }) => (
  <Alert color="red" variant="light" role="alert" icon={<Icon name="alert" />} title="That did not work">
    <p className="small" style={{ margin: 0 }}>
      {sentenceOf(error)}
    </p>
    {retry !== undefined && (
      <Button mt="sm" size="xs" variant="default" onClick={retry} leftSection={<Icon name="retry" size={15} />}>
        Try again
      </Button>
    )}
  </Alert>
)

export const Empty = ({ icon, title, children }: { icon: IconName; title: string; children?: ReactNode }) => (
  <div className="empty">
    <Icon name={icon} size={36} />
    <h2>{title}</h2>
    {children !== undefined && <p>{children}</p>}
  </div>
)

export const Waiting = ({ lines = 4 }: { lines?: number }) => (
  <div role="status" aria-label="Loading" className="card card-pad">
    {Array.from({ length: lines }, (_, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same.
      <Skeleton key={at} height={14} my={12} width={`${92 - ((at * 17) % 40)}%`} />
    ))}
  </div>
)
