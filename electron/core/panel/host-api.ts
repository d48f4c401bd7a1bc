/** The whole body as text, or the reason why `fetch` failed in `host.api`. */
export type HostApiResponse = { readonly status: number; readonly text: string } | 'aborted' | 'broken'

/**
 * Returns the value to which `host.api` resolves (spec §1): the body parsed as JSON, or an object
 * with an `error`. The contract does not show the words of that error. The source text of this
 * function also runs in the panel's page (`buildHelperScript`), so it must not use identifiers from
 * outside.
 */
export function toHostApiValue(response: HostApiResponse): unknown {
  const failure = (code: string, message: string): object => ({ error: { code, message } })
  if (response === 'aborted') return failure('ABORTED', 'The call was given up before its response had arrived.')
  if (response === 'broken') return failure('NETWORK', 'The connection ended before a whole response had arrived.')
  const { status, text } = response
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return failure('NOT_JSON', `${status} with a body that is not JSON: ${text.slice(0, 200)}`)
  }
  const hasError = typeof value === 'object' && value !== null && 'error' in value && value.error !== null
  const isOk = status >= 200 && status < 300
  return isOk || hasError ? value : failure(`HTTP_${status}`, `The response has status ${status} and no error.`)
}

/** A value that `host.api` resolved to stands for a failure if it has an `error` (spec §1). */
export function isHostApiFailure(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'error' in value && value.error !== null
}

/** Decodes like `Response.text()`: no byte order mark, and invalid UTF-8 is replaced. */
export function decodeResponseText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}
