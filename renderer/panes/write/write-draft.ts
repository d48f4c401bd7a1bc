import { computed, ref, shallowRef, watch, type ComputedRef, type Ref } from 'vue'
import type { Endpoint } from '../../../shared/bridge/endpoints/endpoint.ts'
import { parseFormBody, formatFormBody } from '../../model/forms/form-body.ts'
import { findBodyViolations, type BodyViolation } from '../../../shared/bridge/body-violations.ts'
import { buildCommandDraft, type FieldError, type FormValues } from '../../model/forms/command-draft.ts'
import { createFormFields, type FormField } from '../../model/forms/form-fields.ts'
import type { CommandDraft } from '../../../shared/operations/prepared-write.ts'
import { findJsonSyntaxError, isLossyJson, type JsonSyntaxError } from './json-syntax-error.ts'

export type DraftMode = 'form' | 'json'

/** Input in one mode is carried over to the other mode if possible. */
export interface WriteDraft {
  readonly mode: Ref<DraftMode>
  /** Fields of the current mode; with the body as JSON only those of path and query. */
  readonly fields: ComputedRef<readonly FormField[]>
  readonly values: Ref<FormValues>
  readonly extraJson: Ref<string>
  /** The body as JSON text, which is sent unchanged in the JSON mode. */
  readonly text: Ref<string>
  readonly errors: Ref<Readonly<Record<string, FieldError>>>
  readonly syntaxError: ComputedRef<JsonSyntaxError | null>
  readonly violations: ComputedRef<readonly BodyViolation[]>
  /** Why the form cannot take over the JSON text; null unless switching was just refused. */
  readonly switchObstacle: Ref<'not-json' | 'no-object' | 'loses' | null>
  /** If the mode cannot be changed, `switchObstacle` has the reason. */
  switchMode(to: DraftMode): void
  /** Null if a value cannot be sent; the reason is shown next to the value. */
  buildCommand(): CommandDraft | null
}

/**
 * Creates a draft. With `row.confirm: 'unknown'` nothing is known about the route, so there is no
 * form for its body.
 * @param body initial body, as JSON text that is sent unchanged
 */
export function useWriteDraft(row: Endpoint, initialValues: FormValues, body?: string): WriteDraft {
  const onlyJson = row.confirm === 'unknown' && row.body !== null
  const mode = ref<DraftMode>(onlyJson || body !== undefined ? 'json' : 'form')
  const allFields = createFormFields(row)
  const values = shallowRef<FormValues>({ ...initialValues })
  const extraJson = ref('')
  const text = ref(body ?? (onlyJson ? '{\n  "confirm": true\n}' : ''))
  const errors = shallowRef<Readonly<Record<string, FieldError>>>({})
  const switchObstacle = ref<WriteDraft['switchObstacle']['value']>(null)
  /** The form's text; written again when values arrive, until the user edits it. */
  let generatedText: string | null = null
  const syntaxError = computed(() => (mode.value === 'json' ? findJsonSyntaxError(text.value) : null))
  const violations = computed(() => {
    if (mode.value !== 'json' || syntaxError.value !== null) return []
    return findBodyViolations(row, JSON.parse(text.value))
  })

  function writeText(): FieldError | null {
    const formBody = formatFormBody(row, values.value, extraJson.value)
    if (typeof formBody !== 'string') return formBody
    text.value = generatedText = formBody
    return null
  }
  watch(values, () => {
    if (mode.value === 'json' && !onlyJson && text.value === generatedText) writeText()
  })

  function switchToForm(): void {
    if (text.value !== generatedText) {
      if (syntaxError.value !== null) return void (switchObstacle.value = 'not-json')
      if (isLossyJson(text.value)) return void (switchObstacle.value = 'loses')
      const form = parseFormBody(row, text.value)
      if (form === null) return void (switchObstacle.value = 'no-object')
      values.value = { ...values.value, ...form.values }
      extraJson.value = form.extraJson
    }
    mode.value = 'form'
  }
  function switchMode(to: DraftMode): void {
    switchObstacle.value = null
    errors.value = {}
    if (to === mode.value) return
    if (to === 'form') return switchToForm()
    const error = writeText()
    if (error) errors.value = { extra: error }
    else mode.value = 'json'
  }
  watch(text, () => (switchObstacle.value = null))

  function buildCommand(): CommandDraft | null {
    const byFields = mode.value === 'form' ? row : { ...row, body: null }
    const result = buildCommandDraft(byFields, values.value, extraJson.value)
    errors.value = result.ok ? {} : result.errors
    if (!result.ok || syntaxError.value !== null) return null
    return mode.value === 'form' ? result.draft : { ...result.draft, bodyText: text.value }
  }

  const fields = computed(() => (mode.value === 'form' ? allFields : allFields.filter((field) => field.in !== 'body')))
  return {
    mode,
    fields,
    values,
    extraJson,
    text,
    errors,
    syntaxError,
    violations,
    switchObstacle,
    switchMode,
    buildCommand,
  }
}
