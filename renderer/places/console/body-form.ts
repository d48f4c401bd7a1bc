import { computed, ref, shallowRef, watch, type ComputedRef, type Ref } from 'vue'
import { z } from 'zod'
import { bodyMisfits, type BodyMisfit } from '../../../shared/bridge/body-misfits.ts'
import { addressFields, addressValues, withValue } from '../../model/console/address.ts'
import type { Match } from '../../../shared/bridge/callable.ts'
import { filledJson, variablesIn, type Variables } from '../../model/console/variables.ts'
import { bodyInForm, bodyTextOf } from '../../model/forms/as-json.ts'
import type { FormValues } from '../../model/forms/command.ts'
import { fieldsOf, type Field } from '../../model/forms/fields.ts'
import { jsonProblem, losesByValues, type JsonProblem } from '../../panes/write/json-problem.ts'

interface Text {
  readonly match: () => Match | null
  readonly get: () => string
  readonly set: (text: string) => void
}

/** A form over a path: what is typed in it changes the path, and a path that is typed changes the form. */
export function useAddressForm({ match, get, set }: Text): {
  readonly fields: ComputedRef<readonly Field[]>
  readonly values: Ref<FormValues>
} {
  const fields = computed(() => (match() ? addressFields(match() as Match) : []))
  const own = shallowRef<FormValues>({})
  /** The path as the form wrote it: reading it back could change what is still being typed. */
  let written: string | null = null
  watch(
    () => [get(), match()?.callable.id] as const,
    ([path, id], before) => {
      const found = match()
      if (!found) own.value = {}
      else if (path !== written || id !== before?.[1]) own.value = addressValues(found, path)
    },
    { immediate: true },
  )
  const values = computed({
    get: () => own.value,
    set(next) {
      const found = match()
      const field = fields.value.find(({ name }) => next[name] !== own.value[name])
      own.value = next
      if (!found || !field) return
      written = withValue(found, get(), field, String(next[field.name] ?? ''))
      set(written)
    },
  })
  return { fields, values }
}

/** A form over a body as JSON text. `possible`: false for text that the form could not return unchanged. */
export function useBodyForm({ match, get, set }: Text): {
  readonly fields: ComputedRef<readonly Field[]>
  readonly values: Ref<FormValues>
  readonly possible: Ref<boolean>
} {
  const fields = computed(() => {
    const row = match()?.callable.row
    return row && row.confirm !== 'unknown' ? fieldsOf(row).filter((field) => field.in === 'body') : []
  })
  const own = shallowRef<FormValues>({})
  const possible = ref(false)
  let extra = ''
  let written: string | null = null
  watch(
    () => [get(), match()?.callable.id] as const,
    ([text, id], before) => {
      const row = match()?.callable.row
      if (!row || (text === written && id === before?.[1])) return
      const form = losesByValues(text) ? null : bodyInForm(row, text.trim() === '' ? '{}' : text)
      possible.value = form !== null && fields.value.length > 0
      own.value = form?.values ?? {}
      extra = form?.extra ?? ''
    },
    { immediate: true },
  )
  const values = computed({
    get: () => own.value,
    set(next) {
      own.value = next
      const row = match()?.callable.row
      const text = row ? bodyTextOf(row, next, extra) : null
      if (typeof text !== 'string') return
      written = text
      set(text)
    },
  })
  return { fields, values, possible }
}

/** What is wrong with a body, its variables filled in; text whose variables have no value yet is judged when it has. */
export function useBodyFindings(
  match: () => Match | null,
  text: () => string,
  variables: () => Variables,
): ComputedRef<{ readonly problem: JsonProblem | null; readonly misfits: readonly BodyMisfit[] }> {
  return computed(() => {
    const nothing = { problem: null, misfits: [] }
    const names = variablesIn(text())
    const filled = filledJson(text(), { ...Object.fromEntries(names.map((name) => [name, name])), ...variables() })
    if (!('text' in filled)) return nothing
    const problem = jsonProblem(filled.text)
    const row = match()?.callable.row
    if (problem || !row || row.body === null) return { problem, misfits: [] }
    return { problem: null, misfits: bodyMisfits(row, JSON.parse(filled.text)) }
  })
}

/** The JSON Schema of a body; null if no document shows one. */
export const bodySchema = (match: Match | null): unknown =>
  match?.callable.row.body ? z.toJSONSchema(match.callable.row.body, { io: 'input', unrepresentable: 'any' }) : null
