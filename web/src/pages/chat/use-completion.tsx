// Suggestions while a word with a sign is typed in the question: sources after @, and saved prompts after a slash.
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, type ReactNode, type RefObject, useId, useState } from 'react'
import type { InputPromptSnapshot } from '../../../../src/client/schemas.ts'
import { SourceIcon } from '../../parts/source-icon.tsx'
import { sourceLabel } from '../../parts/text.tsx'
import { useReadableSources } from '../../parts/use-readable-sources.ts'
import { CompletionList, type Suggestion } from './completion-list.tsx'
import { promptsQuery } from './prompts-query.ts'
import type { QuestionLimits } from './use-question-limits.ts'
import { type SignedWord, wordAtCaret } from './word-at-caret.ts'

interface Target {
  input: RefObject<HTMLTextAreaElement | null>
  text: string
  onText: (text: string) => void
  limits: QuestionLimits
}

export interface Completion {
  list: ReactNode
  /** Follows the caret. */
  onSelect: () => void
  /** Returns whether the list has taken the key. */
  onKeyDown: (event: KeyboardEvent) => boolean
  /** For the text field. */
  aria: { 'aria-autocomplete': 'list'; 'aria-controls'?: string; 'aria-activedescendant'?: string }
}

const MAX_SHOWN = 8

export function useCompletion({ input, text, onText, limits }: Target): Completion {
  const id = useId()
  const [caret, setCaret] = useState(0)
  const [active, setActive] = useState(0)
  /** Escape closes the list until another word is typed. */
  const [closedAt, setClosedAt] = useState<number | null>(null)
  const word = wordAtCaret(text, Math.min(caret, text.length))
  const replaceWord = ({ from, to }: SignedWord, by: string) => {
    onText(text.slice(0, from) + by + text.slice(to).trimStart())
    requestAnimationFrame(() => {
      input.current?.focus()
      input.current?.setSelectionRange(from + by.length, from + by.length)
    })
  }
  const all = useSuggestions(word, replaceWord, limits)
  const isOpen = word !== null && word.from !== closedAt && all.length > 0
  const at = Math.min(active, all.length - 1)
  const move = (step: number) => setActive((at + step + all.length) % all.length)
  return {
    list: isOpen && <CompletionList id={id} all={all} active={at} onActive={setActive} />,
    onSelect() {
      const next = input.current?.selectionStart ?? 0
      if (next !== caret) setActive(0)
      setCaret(next)
      if (word === null) setClosedAt(null)
    },
    onKeyDown(event) {
      if (!isOpen || event.nativeEvent.isComposing) return false
      if (event.key === 'ArrowDown') move(1)
      else if (event.key === 'ArrowUp') move(-1)
      else if (event.key === 'Escape') setClosedAt(word.from)
      else if ((event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey) all[at]?.onPick()
      else return false
      event.preventDefault()
      return true
    },
    aria: {
      'aria-autocomplete': 'list',
      ...(isOpen && { 'aria-controls': id, 'aria-activedescendant': `${id}-${at}` }),
    },
  }
}

/** Puts the text in the place of the word. */
type Replace = (word: SignedWord, by: string) => void

function useSuggestions(word: SignedWord | null, replace: Replace, limits: QuestionLimits): Suggestion[] {
  const prompts = usePrompts(word?.sign === '/')
  const sources = useReadableSources(word?.sign === '@')
  if (word === null) return []
  const all =
    word.sign === '/'
      ? prompts.map((it) => promptSuggestion(it, () => replace(word, it.content)))
      : sources
          .filter((it) => !limits.sources.includes(it))
          .map((source) =>
            sourceSuggestion(source, () => {
              limits.addSource(source)
              replace(word, '')
            }),
          )
  const wanted = word.text.toLowerCase()
  return all.filter((it) => it.label.toLowerCase().includes(wanted)).slice(0, MAX_SHOWN)
}

function usePrompts(enabled: boolean): InputPromptSnapshot[] {
  return useQuery({ ...promptsQuery, enabled }).data?.filter((it) => it.active) ?? []
}

const sourceSuggestion = (source: string, onPick: () => void): Suggestion => ({
  key: source,
  icon: <SourceIcon source={source} size={22} />,
  label: sourceLabel(source),
  onPick,
})

const promptSuggestion = ({ id, prompt, content }: InputPromptSnapshot, onPick: () => void): Suggestion => ({
  key: String(id),
  label: prompt,
  detail: content,
  onPick,
})
