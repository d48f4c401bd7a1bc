// Adds choices, suggestions and current values to the form of a write, which its schema does not
// have. The form itself is `../SchemaForm.vue`. Read write-face.ts first, then this file.

import { computed, type Ref, watch } from 'vue'
import { useI18n } from 'vue-i18n'
import type { Endpoint, WriteFaceSpec } from '../../../../shared/bridge/endpoints/endpoint.ts'
import type { FormValues } from '../../../model/forms/command-draft.ts'
import { type FaceContext, type FaceComposable, emptyFieldChoices, type WriteFace } from './write-face.ts'
import { useVerdictFace } from './verdict-face.ts'
import { useWritingFace } from './writing-face.ts'
import { getMember } from '../../../../shared/json/object.ts'
import { useHostCapabilities } from '../../../stores/host-capabilities.ts'
import { getNoHashtagsKey, parseTagPaths } from '../../../model/cards/card-facts.ts'
import { useCard } from '../../../stores/cards.ts'
import { toExpectedPrefix, parseCardTexts } from '../../../../shared/cards.ts'

/**
 * `expectedPrefix` follows the card as it was read, until the user edits the field (observed-0.49
 * §5).
 */
const usePresentText: FaceComposable<'present-text'> = ({ values, getText: text }, face) => {
  const card = useCard(() => text('noteid') || null)
  let filled: string | undefined
  watch(
    () => [card.item, text('index')] as const,
    ([item, index]) => {
      const present = item && presentIn(face.text, item, index)
      const currentPrefix = values.value['expectedPrefix']
      if (typeof present !== 'string' || (currentPrefix !== undefined && currentPrefix !== filled)) return
      filled = toExpectedPrefix(present)
      if (currentPrefix === filled) return
      values.value = { ...values.value, expectedPrefix: filled }
    },
    { immediate: true },
  )
  return {}
}

type Which = Parameters<FaceComposable<'present-text'>>[1]['text']

/** Null if the text is unknown. Empty if the card has texts but no text of its own. */
function presentIn(which: Which, item: Readonly<Record<string, unknown>>, index: string): string | null {
  if (which === 'title') {
    const { title } = item
    return typeof title === 'string' ? title : title === null ? '' : null
  }
  if (!Array.isArray(item['texts'])) return null
  if (which === 'comment' && index.trim() === '') return null
  const wantedIndex = which === 'own' ? 0 : Number(index)
  const cardText = parseCardTexts(item).find((candidate) => candidate.index === wantedIndex)
  if (cardText) return cardText.text ?? ''
  return wantedIndex === 0 ? '' : null
}

/** Shows the card's current tags, so that the user need not look them up to add or remove some. */
const useTags: FaceComposable<'tags'> = ({ getText: text }) => {
  const { t } = useI18n()
  const getSingleCardId = (): string | null => (/^[^\n]+$/.test(text('noteIds')) ? text('noteIds').trim() : null)
  const card = useCard(getSingleCardId)
  const note = computed(() => {
    if (!card.item) return ''
    const tags = parseTagPaths(card.item).map(({ tag }) => tag)
    return tags.length === 0 ? t(getNoHashtagsKey(card.item)) : t('write.tags', { tags: tags.join(' ') })
  })
  return { note }
}

/**
 * Offers the fills that the host lists, or else the documented ones, and the palette for the level.
 */
const useColors: FaceComposable<'colors'> = (_, { level, fill }) => {
  const { t, te } = useI18n()
  const host = useHostCapabilities()
  const choices = computed(() => {
    const listedFills = getMember(host.capabilities?.noteMetadata, 'fillIndex')
    const fills = Array.isArray(listedFills)
      ? listedFills.filter((fillIndex) => typeof fillIndex === 'number')
      : [-1, 0, 1, 2]
    const label = (fillIndex: number): string => (te(`card.fill.${fillIndex}`) ? t(`card.fill.${fillIndex}`) : '')
    return {
      [fill]: fills.map((fillIndex) => ({ value: String(fillIndex), label: `${fillIndex} · ${label(fillIndex)}` })),
    }
  })
  return { choices, swatchField: level }
}

export type { WriteFace } from './write-face.ts'

const parts: { readonly [Name in WriteFaceSpec['name']]: FaceComposable<Name> } = {
  writing: useWritingFace,
  verdict: useVerdictFace,
  colors: useColors,
  tags: useTags,
  'present-text': usePresentText,
}

/**
 * Commands for which the endpoint table declares no special help have only their schema, and a note
 * if there is one.
 */
export function useWriteFace(row: Endpoint, values: Ref<FormValues>): WriteFace {
  const { t, te } = useI18n()
  const note = computed(() => {
    const key = `write.note.${row.id.replaceAll('.', '-')}`
    return te(key) ? t(key) : ''
  })
  const text = (name: string): string => {
    const value = values.value[name]
    return typeof value === 'string' ? value : ''
  }
  const revision = { isOutdated: computed(() => false), reload: () => undefined }
  const facePart = row.face === null ? {} : partOf(row.face, { row, values, getText: text })
  return { choices: emptyFieldChoices, note, revision, ...facePart }
}

function partOf<Name extends WriteFaceSpec['name']>(
  face: Extract<WriteFaceSpec, { readonly name: Name }>,
  form: FaceContext,
): Partial<WriteFace> {
  const part: FaceComposable<Name> = parts[face.name]
  return part(form, face)
}
