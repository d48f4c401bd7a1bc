import { computed, ref, shallowRef, watch, type ComputedRef, type Ref } from 'vue'
import type { Endpoint } from '../../../shared/bridge/endpoints/endpoint.ts'
import { bodyInForm, bodyTextOf } from '../../model/forms/as-json.ts'
import { bodyMisfits, type BodyMisfit } from '../../../shared/bridge/body-misfits.ts'
import { commandOf, type FieldError, type FormValues } from '../../model/forms/command.ts'
import { fieldsOf, type Field } from '../../model/forms/fields.ts'
import type { CommandDraft } from '../../../shared/operations/commands.ts'
import { jsonProblem, losesByValues, type JsonProblem } from './json-problem.ts'

export type DraftMode = 'form' | 'json'

/** A command being composed: by its fields, or with its body as JSON. Input in one is carried over to the other if possible. */
export interface Draft {
  readonly mode: Ref<DraftMode>
  /** Fields of the mode: with the body as JSON only those of path and query. */
  readonly fields: ComputedRef<readonly Field[]>
  readonly values: Ref<FormValues>
  readonly extra: Ref<string>
  /** The body as JSON text. */
  readonly text: Ref<string>
  readonly errors: Ref<Readonly<Record<string, FieldError>>>
  readonly problem: ComputedRef<JsonProblem | null>
  readonly misfits: ComputedRef<readonly BodyMisfit[]>
  /** Why the form can't take over the JSON. */
  readonly stays: Ref<'not-json' | 'no-object' | 'loses' | null>
  /** Changes the mode, or says why not. */
  turn(to: DraftMode): void
  /** The command; null if something can't be sent, which is then shown next to it. */
  command(): CommandDraft | null
}

/**
 * `row.confirm: 'unknown'`: nothing is known about the route, so there is no form for its body. `body`: a body to begin with, as JSON text
 * that is sent as it is.
 */
export function useDraft(row: Endpoint, given: FormValues, body?: string): Draft {
  const onlyJson = row.confirm === 'unknown' && row.body !== null
  const mode = ref<DraftMode>(onlyJson || body !== undefined ? 'json' : 'form')
  const all = fieldsOf(row)
  const values = shallowRef<FormValues>({ ...given })
  const extra = ref('')
  const text = ref(body ?? (onlyJson ? '{\n  "confirm": true\n}' : ''))
  const errors = shallowRef<Readonly<Record<string, FieldError>>>({})
  const stays = ref<Draft['stays']['value']>(null)
  /** The text as the form wrote it: while nobody has changed it, it follows what the form learns meanwhile. */
  let written: string | null = null
  const problem = computed(() => (mode.value === 'json' ? jsonProblem(text.value) : null))
  const misfits = computed(() => {
    if (mode.value !== 'json' || problem.value !== null) return []
    return bodyMisfits(row, JSON.parse(text.value))
  })

  function write(): FieldError | null {
    const body = bodyTextOf(row, values.value, extra.value)
    if (typeof body !== 'string') return body
    text.value = written = body
    return null
  }
  watch(values, () => {
    if (mode.value === 'json' && !onlyJson && text.value === written) write()
  })

  function toForm(): void {
    if (text.value !== written) {
      if (problem.value !== null) return void (stays.value = 'not-json')
      if (losesByValues(text.value)) return void (stays.value = 'loses')
      const form = bodyInForm(row, text.value)
      if (form === null) return void (stays.value = 'no-object')
      values.value = { ...values.value, ...form.values }
      extra.value = form.extra
    }
    mode.value = 'form'
  }
  function turn(to: DraftMode): void {
    stays.value = null
    errors.value = {}
    if (to === mode.value) return
    if (to === 'form') return toForm()
    const error = write()
    if (error) errors.value = { extra: error }
    else mode.value = 'json'
  }
  watch(text, () => (stays.value = null))

  function command(): CommandDraft | null {
    const byFields = mode.value === 'form' ? row : { ...row, body: null }
    const result = commandOf(byFields, values.value, extra.value)
    errors.value = result.ok ? {} : result.errors
    if (!result.ok || problem.value !== null) return null
    return mode.value === 'form' ? result.draft : { ...result.draft, bodyText: text.value }
  }

  const fields = computed(() => (mode.value === 'form' ? all : all.filter((field) => field.in !== 'body')))
  return { mode, fields, values, extra, text, errors, problem, misfits, stays, turn, command }
}
