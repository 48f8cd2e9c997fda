import { CloseButton, Kbd, Loader, TextInput } from '@mantine/core'
import type { KeyboardEvent, RefObject } from 'react'
import { Icon } from '../../parts/icon.tsx'
import { textsOf } from '../../text/texts.ts'

interface Props {
  input: RefObject<HTMLInputElement | null>
  text: string
  isBusy: boolean
  onText: (text: string) => void
  onDown: () => void
  onEnter: () => void
}

export function SearchBox({ input, text, isBusy, onText, onDown, onEnter }: Props) {
  const t = textsOf('search.box')
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'ArrowDown') onDown()
    else if (event.key === 'Enter') onEnter()
    else if (event.key === 'Escape' && text !== '') onText('')
    else return
    event.preventDefault()
  }
  const clear = () => {
    onText('')
    input.current?.focus()
  }
  return (
    <search className="search-box">
      <TextInput
        ref={input}
        size="lg"
        type="text"
        inputMode="search"
        enterKeyHint="search"
        aria-label={t('label')}
        placeholder={t('placeholder')}
        value={text}
        onChange={(event) => onText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        leftSection={isBusy ? <Loader size={18} aria-hidden="true" /> : <Icon name="search" size={20} />}
        rightSection={
          text === '' ? (
            <Kbd size="sm" aria-hidden="true">
              /
            </Kbd>
          ) : (
            <CloseButton aria-label={t('clear')} onClick={clear} />
          )
        }
        autoComplete="off"
        autoCorrect="off"
        spellCheck={false}
        maxLength={2_000}
        autoFocus
      />
    </search>
  )
}
