import { computed, ref, shallowRef, watch, type ComputedRef, type Ref } from 'vue'
import { z } from 'zod'
import { findBodyViolations, type BodyViolation } from '../../../shared/bridge/body-violations.ts'
import { getPathFields, parsePathValues, setPathValue } from '../../model/console/request-path.ts'
import type { CallMatch } from '../../../shared/bridge/call-target.ts'
import { fillJson, findVariables, type Variables } from '../../model/console/variables.ts'
import { parseFormBody, formatFormBody } from '../../model/forms/form-body.ts'
import type { FormValues } from '../../model/forms/command-draft.ts'
import { createFormFields, type FormField } from '../../model/forms/form-fields.ts'
import { findJsonSyntaxError, isLossyJson, type JsonSyntaxError } from '../../panes/write/json-syntax-error.ts'

interface Text {
  readonly match: () => CallMatch | null
  readonly get: () => string
  readonly set: (text: string) => void
}

/** A form over a path: what is typed in it changes the path, and a path that is typed changes the form. */
export function usePathForm({ match, get, set }: Text): {
  readonly fields: ComputedRef<readonly FormField[]>
  readonly values: Ref<FormValues>
} {
  const fields = computed(() => (match() ? getPathFields(match() as CallMatch) : []))
  const own = shallowRef<FormValues>({})
  /** The path as the form wrote it: reading it back could change what is still being typed. */
  let written: string | null = null
  watch(
    () => [get(), match()?.target.id] as const,
    ([path, id], before) => {
      const found = match()
      if (!found) own.value = {}
      else if (path !== written || id !== before?.[1]) own.value = parsePathValues(found, path)
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
      written = setPathValue(found, get(), field, String(next[field.name] ?? ''))
      set(written)
    },
  })
  return { fields, values }
}

/** A form over a body as JSON text. `possible`: false for text that the form could not return unchanged. */
export function useBodyForm({ match, get, set }: Text): {
  readonly fields: ComputedRef<readonly FormField[]>
  readonly values: Ref<FormValues>
  readonly isEditable: Ref<boolean>
} {
  const fields = computed(() => {
    const row = match()?.target.row
    return row && row.confirm !== 'unknown' ? createFormFields(row).filter((field) => field.in === 'body') : []
  })
  const own = shallowRef<FormValues>({})
  const possible = ref(false)
  let extra = ''
  let written: string | null = null
  watch(
    () => [get(), match()?.target.id] as const,
    ([text, id], before) => {
      const row = match()?.target.row
      if (!row || (text === written && id === before?.[1])) return
      const form = isLossyJson(text) ? null : parseFormBody(row, text.trim() === '' ? '{}' : text)
      possible.value = form !== null && fields.value.length > 0
      own.value = form?.values ?? {}
      extra = form?.extraJson ?? ''
    },
    { immediate: true },
  )
  const values = computed({
    get: () => own.value,
    set(next) {
      own.value = next
      const row = match()?.target.row
      const text = row ? formatFormBody(row, next, extra) : null
      if (typeof text !== 'string') return
      written = text
      set(text)
    },
  })
  return { fields, values, isEditable: possible }
}

/** What is wrong with a body, its variables filled in; text whose variables have no value yet is judged when it has. */
export function useBodyProblems(
  match: () => CallMatch | null,
  text: () => string,
  variables: () => Variables,
): ComputedRef<{ readonly syntaxError: JsonSyntaxError | null; readonly violations: readonly BodyViolation[] }> {
  return computed(() => {
    const nothing = { syntaxError: null, violations: [] }
    const names = findVariables(text())
    const filled = fillJson(text(), { ...Object.fromEntries(names.map((name) => [name, name])), ...variables() })
    if (!('text' in filled)) return nothing
    const syntaxError = findJsonSyntaxError(filled.text)
    const row = match()?.target.row
    if (syntaxError || !row || row.body === null) return { syntaxError, violations: [] }
    return { syntaxError: null, violations: findBodyViolations(row, JSON.parse(filled.text)) }
  })
}

/** The JSON Schema of a body; null if no document shows one. */
export const createBodySchema = (match: CallMatch | null): unknown =>
  match?.target.row.body ? z.toJSONSchema(match.target.row.body, { io: 'input', unrepresentable: 'any' }) : null
