import { computed, type Ref } from 'vue'
import { useI18n } from 'vue-i18n'
import type { Endpoint, Face } from '../../../../shared/bridge/endpoint.ts'
import type { FormValues } from '../../../model/forms/command.ts'
import { noChoices, type FaceForm, type FacePart, type WriteFace } from './face.ts'
import { useColors } from './colors.ts'
import { usePresentText } from './present-text.ts'
import { useTags } from './tags.ts'
import { useVerdict } from './verdict.ts'
import { useWritingIds } from './writing.ts'

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
