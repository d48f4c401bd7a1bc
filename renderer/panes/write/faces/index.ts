import { computed, type Ref, watch } from 'vue'
import { useI18n } from 'vue-i18n'
import type { Endpoint, Face } from '../../../../shared/bridge/endpoints/endpoint.ts'
import type { FormValues } from '../../../model/forms/command.ts'
import { type FaceForm, type FacePart, noChoices, type WriteFace } from './face.ts'
import { useVerdict } from './verdict.ts'
import { useWritingIds } from './writing.ts'
import { member } from '../../../../shared/json/object.ts'
import { useListed } from '../../../stores/listed.ts'
import { tagsOf } from '../../../model/cards/facts.ts'
import { useCard } from '../../../stores/cards.ts'
import { expectedPrefixOf, textsOf } from '../../../../shared/cards.ts'

/** Fills `expectedPrefix` in from the card as it was read, for as long as nobody else writes there (observed §5). */
const usePresentText: FacePart<'present-text'> = ({ values, text }, face) => {
  const card = useCard(() => text('noteid') || null)
  let filled: string | undefined
  watch(
    () => [card.item, text('index')] as const,
    ([item, index]) => {
      const present = item && presentIn(face.text, item, index)
      const now = values.value['expectedPrefix']
      if (typeof present !== 'string' || (now !== undefined && now !== filled)) return
      filled = expectedPrefixOf(present)
      if (now === filled) return
      values.value = { ...values.value, expectedPrefix: filled }
    },
    { immediate: true },
  )
  return {}
}

type Which = Parameters<FacePart<'present-text'>>[1]['text']

/** The current text; null if unknown. A card that has texts but none of its own has an empty one. */
function presentIn(which: Which, item: Readonly<Record<string, unknown>>, index: string): string | null {
  if (which === 'title') {
    const { title } = item
    return typeof title === 'string' ? title : title === null ? '' : null
  }
  if (!Array.isArray(item['texts'])) return null
  if (which === 'comment' && index.trim() === '') return null
  const wanted = which === 'own' ? 0 : Number(index)
  const found = textsOf(item).find((one) => one.index === wanted)
  if (found) return found.text ?? ''
  return wanted === 0 ? '' : null
}

/** What the card is tagged with now: who adds and removes should not have to look elsewhere. */
const useTags: FacePart<'tags'> = ({ text }) => {
  const { t } = useI18n()
  const one = (): string | null => (/^[^\n]+$/.test(text('noteIds')) ? text('noteIds').trim() : null)
  const card = useCard(one)
  const note = computed(() => {
    if (!card.item) return ''
    const tags = tagsOf(card.item).map(({ tag }) => tag)
    return tags.length === 0 ? t('card.noHashtags') : t('write.tags', { tags: tags.join(' ') })
  })
  return { note }
}

/** The palette under the level, and the fills that the host names, or the known ones. */
const useColors: FacePart<'colors'> = (_, { level, fill }) => {
  const { t, te } = useI18n()
  const host = useListed()
  const choices = computed(() => {
    const sent = member(host.capabilities?.noteMetadata, 'fillIndex')
    const fills = Array.isArray(sent) ? sent.filter((one) => typeof one === 'number') : [-1, 0, 1, 2]
    const label = (one: number): string => (te(`card.fill.${one}`) ? t(`card.fill.${one}`) : '')
    return { [fill]: fills.map((one) => ({ value: String(one), label: `${one} · ${label(one)}` })) }
  })
  return { choices, swatches: level }
}

export type { WriteFace } from './face.ts'

const parts: { readonly [Name in Face['name']]: FacePart<Name> } = {
  writing: useWritingIds,
  verdict: useVerdict,
  colors: useColors,
  tags: useTags,
  'present-text': usePresentText,
}

/** The face that the row of a command declares; commands without one have their schema, and their note if there is one. */
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
  const revision = { newer: computed(() => false), reload: () => undefined }
  const own = row.face === null ? {} : partOf(row.face, { row, values, text })
  return { choices: noChoices, note, revision, ...own }
}

function partOf<Name extends Face['name']>(
  face: Extract<Face, { readonly name: Name }>,
  form: FaceForm,
): Partial<WriteFace> {
  const part: FacePart<Name> = parts[face.name]
  return part(form, face)
}
