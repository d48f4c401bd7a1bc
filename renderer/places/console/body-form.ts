import { computed, ref, shallowRef, watch, type ComputedRef, type Ref } from 'vue'
import { z } from 'zod'
import { findBodyViolations, type BodyViolation } from '../../../shared/bridge/body-violations.ts'
import { getPathFields, parsePathValues, setPathValue } from '../../model/console/request-path.ts'
import type { CallMatch } from '../../../shared/bridge/call-target.ts'
import { fillJsonVariables, findVariableNames, type Variables } from '../../../shared/collections/variables.ts'
import { parseFormBody, formatFormBody } from '../../model/forms/form-body.ts'
import type { FormValues } from '../../model/forms/command-draft.ts'
import { createFormFields, type FormField } from '../../model/forms/form-fields.ts'
import { findJsonSyntaxError, isLossyJson, type JsonSyntaxError } from '../../panes/write/json-syntax-error.ts'

interface BoundText {
  readonly match: () => CallMatch | null
  readonly get: () => string
  readonly set: (text: string) => void
}

/** Binds the fields of a form to a path: a change of either changes the other. */
export function usePathForm({ match, get, set }: BoundText): {
  readonly fields: ComputedRef<readonly FormField[]>
  readonly values: Ref<FormValues>
} {
  const fields = computed(() => (match() ? getPathFields(match() as CallMatch) : []))
  const formValues = shallowRef<FormValues>({})
  /** The path as the form wrote it last. Parsing it again would disturb the user's typing. */
  let lastWrittenPath: string | null = null
  watch(
    () => [get(), match()?.target.id] as const,
    ([path, id], previous) => {
      const callMatch = match()
      if (!callMatch) formValues.value = {}
      else if (path !== lastWrittenPath || id !== previous?.[1]) formValues.value = parsePathValues(callMatch, path)
    },
    { immediate: true },
  )
  const values = computed({
    get: () => formValues.value,
    set(nextValues) {
      const callMatch = match()
      const changedField = fields.value.find(({ name }) => nextValues[name] !== formValues.value[name])
      formValues.value = nextValues
      if (!callMatch || !changedField) return
      lastWrittenPath = setPathValue(callMatch, get(), changedField, String(nextValues[changedField.name] ?? ''))
      set(lastWrittenPath)
    },
  })
  return { fields, values }
}

/** Binds fields to JSON text. `isEditable` is false for text that the form cannot reproduce. */
export function useBodyForm({ match, get, set }: BoundText): {
  readonly fields: ComputedRef<readonly FormField[]>
  readonly values: Ref<FormValues>
  readonly isEditable: Ref<boolean>
} {
  const fields = computed(() => {
    const row = match()?.target.row
    return row && row.confirm !== 'unknown' ? createFormFields(row).filter((field) => field.in === 'body') : []
  })
  const formValues = shallowRef<FormValues>({})
  const isEditable = ref(false)
  let extraJson = ''
  let lastWrittenText: string | null = null
  watch(
    () => [get(), match()?.target.id] as const,
    ([text, id], previous) => {
      const row = match()?.target.row
      if (!row || (text === lastWrittenText && id === previous?.[1])) return
      const form = isLossyJson(text) ? null : parseFormBody(row, text.trim() === '' ? '{}' : text)
      isEditable.value = form !== null && fields.value.length > 0
      formValues.value = form?.values ?? {}
      extraJson = form?.extraJson ?? ''
    },
    { immediate: true },
  )
  const values = computed({
    get: () => formValues.value,
    set(nextValues) {
      formValues.value = nextValues
      const row = match()?.target.row
      const text = row ? formatFormBody(row, nextValues, extraJson) : null
      if (typeof text !== 'string') return
      lastWrittenText = text
      set(text)
    },
  })
  return { fields, values, isEditable }
}

/** Checks the filled body. A variable without a value is replaced by its own name. */
export function useBodyProblems(
  match: () => CallMatch | null,
  text: () => string,
  variables: () => Variables,
): ComputedRef<{ readonly syntaxError: JsonSyntaxError | null; readonly violations: readonly BodyViolation[] }> {
  return computed(() => {
    const noProblems = { syntaxError: null, violations: [] }
    const names = findVariableNames(text())
    const filledBody = fillJsonVariables(text(), {
      ...Object.fromEntries(names.map((name) => [name, name])),
      ...variables(),
    })
    if (!('text' in filledBody)) return noProblems
    const syntaxError = findJsonSyntaxError(filledBody.text)
    const row = match()?.target.row
    if (syntaxError || !row || row.body === null) return { syntaxError, violations: [] }
    return { syntaxError: null, violations: findBodyViolations(row, JSON.parse(filledBody.text)) }
  })
}

/** The editor completes by this schema; null if the contract documents no body. */
export function createBodySchema(match: CallMatch | null): unknown {
  return match?.target.row.body ? z.toJSONSchema(match.target.row.body, { io: 'input', unrepresentable: 'any' }) : null
}
