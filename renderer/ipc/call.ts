// Typed calls to the service process and its pushes. Both are checked against the contract in
// `shared/ipc`; `renderer/transport` transmits them. Read this file first, then subscriptions.ts.

import { transport } from '#transport'
import { AppError, createCancelledError, fromWireError, createRefusedError } from '../../shared/errors.ts'
import { isObject } from '../../shared/json/object.ts'
import { ipcMethods, type IpcInput, type MethodName, type IpcOutput } from '../../shared/ipc/index.ts'
import type { ListingAccess } from '../../shared/ipc/listing.ts'

interface CallOptions {
  /** Aborting also cancels the request to the host. */
  readonly signal?: AbortSignal
}

let lastId = 0

/**
 * Calls a method of the service process. The page parses the input and the reply; the service
 * process parses the input again, because it does not trust the page.
 * @throws AppError the service's own error, `refused` for input that breaks the contract,
 *   `cancelled` when `signal` aborts, `internal` for a reply that breaks the contract
 */
export async function call<M extends MethodName>(
  method: M,
  input: IpcInput<M>,
  options: CallOptions = {},
): Promise<IpcOutput<M>> {
  const parsed = ipcMethods[method].input.safeParse(input)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    throw createRefusedError(
      'INVALID_INPUT',
      `${method}: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim(),
    )
  }
  const { signal } = options
  if (signal?.aborted) throw createCancelledError()
  lastId += 1
  const id = `call-${lastId}`
  const onAbort = (): void => {
    transport.cancel(id)
  }
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    const reply = await transport.call({ id, method, input: parsed.data })
    if (signal?.aborted) throw createCancelledError()
    if (!reply.ok) throw fromWireError(reply.error)
    return parseOutput(method, reply.value)
  } finally {
    signal?.removeEventListener('abort', onAbort)
  }
}

function parseOutput<M extends MethodName>(method: M, value: unknown): IpcOutput<M> {
  const { output, isBinary } = ipcMethods[method]
  if (!isBinary) {
    const parsed = output.safeParse(value)
    if (parsed.success) return parsed.data as IpcOutput<M>
    throw createBadReplyError(method)
  }
  if (!isObject(value) || !isArrayBuffer(value['bytes'])) throw createBadReplyError(method)
  const meta = output.safeParse(value['meta'])
  if (!meta.success) throw createBadReplyError(method)
  return { meta: meta.data, bytes: value['bytes'] } as IpcOutput<M>
}

/** A buffer that crossed Electron's bridge may be of another realm, where `instanceof` fails. */
const isArrayBuffer = (value: unknown): value is ArrayBuffer =>
  Object.prototype.toString.call(value) === '[object ArrayBuffer]'

const createBadReplyError = (method: string): AppError =>
  new AppError({
    kind: 'internal',
    code: 'BAD_REPLY',
    message: `The service process answered ${method} in a shape that the page does not know.`,
    retryable: false,
    params: { method },
  })

/** Returns the URL of an opened content for an element of the page. */
export function getContentUrl(handle: string): string {
  return transport.getContentUrl(handle)
}

/**
 * Saves an opened content. The desktop app asks for a file name; a browser saves as it is
 * configured to. Returns false if the user declined.
 * @throws AppError, but never in a browser, which reports failed downloads itself
 */
export async function saveContent(handle: string, fileName: string): Promise<boolean> {
  if (transport.kind === 'desktop') return (await call('content.save', { handle })).saved
  const link = document.createElement('a')
  link.href = transport.getContentUrl(handle, { download: true })
  link.download = fileName
  link.hidden = true
  document.body.append(link)
  link.click()
  link.remove()
  return true
}

/** The desktop app's main process asks in a system dialog; in a browser, the page must ask. */
export const needsExternalConfirmation = transport.kind === 'browser'

/** Opens a checked http(s) address. Returns false if the transport refuses it. */
export function openExternal(href: string): Promise<boolean> {
  return transport.openExternal(href)
}

/**
 * Gets access for a worker that reads a listing, or null if listings must be read by calls.
 * @param refused outdated access that the service process refused
 * @throws AppError if the service process refuses this page
 */
export async function getListingAccess(refused?: ListingAccess): Promise<ListingAccess | null> {
  try {
    return await transport.getListingAccess(refused)
  } catch (error) {
    throw fromWireError(isObject(error) ? error['error'] : null)
  }
}

/** Logs this browser out, with all its tabs. Does nothing in the desktop app. */
export async function endBrowserSession(): Promise<void> {
  await transport.logOut?.()
}
