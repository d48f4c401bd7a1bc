import type { Endpoint } from '../../../shared/bridge/endpoints/endpoint.ts'
import type { CommandDraft } from '../../../shared/operations/prepared-write.ts'
import { createFormFields } from './form-fields.ts'
import { mergeMembers, hasMember, isMemberBlocked, parseJsonObject, setMember } from './nested-members.ts'
import { isEmptyFieldValue, parseFieldValue, type FieldError, type FormValues } from './form-values.ts'

export type { FieldError, FormValues } from './form-values.ts'

/** Returns the default values that the host has written into the query of a route. */
export function getListedQueryDefaults({ acceptsAnyQuery, parameters }: Endpoint): FormValues {
  return acceptsAnyQuery ? Object.fromEntries(parameters.map((parameter) => [parameter.name, parameter.default])) : {}
}

type FormResult =
  | { readonly ok: true; readonly draft: CommandDraft }
  | { readonly ok: false; readonly errors: Readonly<Record<string, FieldError>> }

/**
 * Creates the command that a form describes, or the errors of fields that cannot be sent. If the
 * whole body does not fit the contract, the review reports that, and the command can still be sent
 * (spec §1: bodies change with the host).
 * @param extra additional members of the body, as the JSON text of an object
 */
export function buildCommandDraft(endpoint: Endpoint, values: FormValues, extra = ''): FormResult {
  const errors: Record<string, FieldError> = {}
  const params: Record<string, string> = {}
  const query: Record<string, string | number> = {}
  let anyQuery: Readonly<Record<string, string>> = {}
  const body: Record<string, unknown> = {}
  const fields = createFormFields(endpoint)
  const extraMembers = endpoint.body === null || extra.trim() === '' ? undefined : parseJsonObject(extra)
  for (const field of fields) {
    // The additional members may contain a value that the field cannot hold.
    if (
      field.in === 'body' &&
      isEmptyFieldValue(values[field.name]) &&
      isMemberBlocked(extraMembers ?? {}, field.name.split('.'))
    )
      continue
    const parsed = parseFieldValue(field, values[field.name])
    if ('error' in parsed) errors[field.name] = parsed.error
    else if (parsed.value === undefined) continue
    else if (field.in === 'path') params[field.name] = String(parsed.value)
    else if (field.type === 'pairs') anyQuery = parsed.value as Readonly<Record<string, string>>
    else if (field.in === 'query') query[field.name] = parsed.value as string | number
    else setMember(body, field.name.split('.'), parsed.value)
  }
  for (const { name, requiredInObject } of fields) {
    if (requiredInObject === undefined || !Object.hasOwn(body, requiredInObject)) continue
    if (hasMember(body, name.split('.')) || isMemberBlocked(extraMembers ?? {}, name.split('.'))) continue
    errors[name] ??= { code: 'incomplete', params: { name: requiredInObject } }
  }
  for (const { name } of fields.filter(({ type }) => type === 'pairs')) {
    const duplicate = Object.keys(anyQuery).find((key) => Object.hasOwn(query, key))
    if (duplicate !== undefined) errors[name] = { code: 'clash', params: { name: duplicate } }
  }
  if (extraMembers === null) errors['extra'] = { code: 'json', params: {} }
  else if (extraMembers !== undefined) {
    const duplicate = mergeMembers(body, extraMembers, '')
    if (duplicate !== null) errors['extra'] = { code: 'clash', params: { name: duplicate } }
  }
  if (Object.keys(errors).length > 0) return { ok: false, errors }
  return {
    ok: true,
    draft: {
      endpoint: endpoint.id,
      params,
      query: { ...query, ...anyQuery },
      ...(endpoint.body === null ? {} : { body }),
    },
  }
}
