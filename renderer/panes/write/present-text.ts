import { watch, type Ref } from 'vue'
import { expectedPrefixOf } from '../../../shared/bridge/expected-prefix.ts'
import type { FormValues } from '../../model/forms/command.ts'
import { textsOf } from '../../../shared/cards/texts.ts'
import { useCard } from '../../stores/cards.ts'

const written = new Set(['notes.title', 'notes.text', 'notes.comment', 'notes.deleteComment'])

/** Whether a command replaces a text that is there, of which `expectedPrefix` says the beginning (observed §5). */
export const replacesText = (endpoint: string): boolean => written.has(endpoint)

/** Fills `expectedPrefix` in from the card as it was read, for as long as nobody else writes there. */
export function usePresentText(endpoint: string, values: Ref<FormValues>, text: (name: string) => string): void {
  const card = useCard(() => text('noteid') || null)
  let filled: string | undefined
  watch(
    () => [card.item.value, text('index')] as const,
    ([item, index]) => {
      const present = item && presentIn(endpoint, item, index)
      const now = values.value['expectedPrefix']
      if (typeof present !== 'string' || (now !== undefined && now !== filled)) return
      filled = expectedPrefixOf(present)
      if (now === filled) return
      values.value = { ...values.value, expectedPrefix: filled }
    },
    { immediate: true },
  )
}

/** The current text; null if unknown. A card that has texts but none of its own has an empty one. */
function presentIn(endpoint: string, item: Readonly<Record<string, unknown>>, index: string): string | null {
  if (endpoint === 'notes.title') {
    const { title } = item
    return typeof title === 'string' ? title : title === null ? '' : null
  }
  if (!Array.isArray(item['texts'])) return null
  const wanted = endpoint === 'notes.text' ? 0 : Number(index)
  if (endpoint !== 'notes.text' && index.trim() === '') return null
  const found = textsOf(item).find((one) => one.index === wanted)
  if (found) return found.text ?? ''
  return wanted === 0 ? '' : null
}
