import type { Endpoint } from '../../../shared/bridge/endpoints/endpoint.ts'
import type { CommandDraft } from '../../../shared/operations/prepared-write.ts'
import { createFormFields } from './form-fields.ts'
import { mergeMembers, hasMember, isMemberBlocked, parseObject, setMember } from './nested-members.ts'
import { isEmptyFieldValue, parseFieldValue, type FieldError, type FormValues } from './form-values.ts'

export type { FieldError, FormValues } from './form-values.ts'

/** What a host that lists a route has written into its query. */
export const getListedQueryValues = ({ acceptsAnyQuery: anyQuery, parameters }: Endpoint): FormValues =>
  anyQuery ? Object.fromEntries(parameters.map((parameter) => [parameter.name, parameter.default])) : {}

type FormResult =
  | { readonly ok: true; readonly draft: CommandDraft }
  | { readonly ok: false; readonly errors: Readonly<Record<string, FieldError>> }

/**
 * The command that a form describes, or the fields that cannot be sent. Whether the body as a whole matches the table is reported at the
 * review, and does not prevent sending (spec §1: bodies change with the host). `extra` holds additional members of the body, as the JSON
 * text of an object.
 */
export function buildCommandDraft(endpoint: Endpoint, values: FormValues, extra = ''): FormResult {
  const errors: Record<string, FieldError> = {}
  const params: Record<string, string> = {}
  const query: Record<string, string | number> = {}
  let unnamed: Readonly<Record<string, string>> = {}
  const body: Record<string, unknown> = {}
  const fields = createFormFields(endpoint)
  const more = endpoint.body === null || extra.trim() === '' ? undefined : parseObject(extra)
  for (const field of fields) {
    // What a field cannot hold may be among the additional members.
    if (
      field.in === 'body' &&
      isEmptyFieldValue(values[field.name]) &&
      isMemberBlocked(more ?? {}, field.name.split('.'))
    )
      continue
    const read = parseFieldValue(field, values[field.name])
    if ('error' in read) errors[field.name] = read.error
    else if (read.value === undefined) continue
    else if (field.in === 'path') params[field.name] = String(read.value)
    else if (field.type === 'pairs') unnamed = read.value as Readonly<Record<string, string>>
    else if (field.in === 'query') query[field.name] = read.value as string | number
    else setMember(body, field.name.split('.'), read.value)
  }
  for (const { name, requiredInObject: requiredIn } of fields) {
    if (requiredIn === undefined || !Object.hasOwn(body, requiredIn)) continue
    if (hasMember(body, name.split('.')) || isMemberBlocked(more ?? {}, name.split('.'))) continue
    errors[name] ??= { code: 'incomplete', params: { name: requiredIn } }
  }
  for (const { name } of fields.filter(({ type }) => type === 'pairs')) {
    const clash = Object.keys(unnamed).find((one) => Object.hasOwn(query, one))
    if (clash !== undefined) errors[name] = { code: 'clash', params: { name: clash } }
  }
  if (more === null) errors['extra'] = { code: 'json', params: {} }
  else if (more !== undefined) {
    const clash = mergeMembers(body, more, '')
    if (clash !== null) errors['extra'] = { code: 'clash', params: { name: clash } }
  }
  if (Object.keys(errors).length > 0) return { ok: false, errors }
  return {
    ok: true,
    draft: {
      endpoint: endpoint.id,
      params,
      query: { ...query, ...unnamed },
      ...(endpoint.body === null ? {} : { body }),
    },
  }
}
