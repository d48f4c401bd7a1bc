import { randomBytes } from 'node:crypto'
import { AppError } from '../shared/errors.ts'
import { toHostApiValue } from '../electron/core/panel/host-api.ts'
import type * as api from './api.ts'
import { startPanel } from './panel.ts'

export const hostApi: typeof api.hostApi = (options = {}) => {
  const panelOptions = 'baseUrl' in options ? { host: options } : options
  let starting: Promise<api.Panel> | null = null
  const getPanel = (): Promise<api.Panel> =>
    (starting ??= startPanel(panelOptions).catch((error: unknown) => {
      // The next call tries again.
      starting = null
      throw error
    }))

  const idPrefix = randomBytes(6).toString('hex')
  let callCount = 0

  const call: api.HostApiFunction = async (path, requestOptions) => {
    let panel: api.Panel
    try {
      panel = await getPanel()
    } catch (error) {
      return toFailure((error instanceof AppError ? error.code : undefined) ?? 'PANEL_NOT_STARTED', error)
    }
    const address = `${new URL(panel.url).origin}/bridge/v1${path}`
    try {
      const headers = new Headers(requestOptions?.headers)
      headers.set('x-inspector-via', 'host.api')
      // Node's `fetch` sends some requests again by itself, too.
      callCount += 1
      headers.set('x-inspector-call', `${idPrefix}-${callCount}`)
      const response = await fetch(address, { ...requestOptions, headers })
      return toHostApiValue({ status: response.status, text: await response.text() })
    } catch (error) {
      if (requestOptions?.signal?.aborted || (error instanceof Error && error.name === 'AbortError'))
        return toHostApiValue('aborted')
      return createInvalidRequestFailure(address, requestOptions) ?? toHostApiValue('broken')
    }
  }

  const session: api.PanelSession = {
    calls: async () => (await getPanel()).calls(),
    findings: async () => (await getPanel()).findings(),
    advice: async () => (await getPanel()).advice(),
    withdrawn: async () => (await getPanel()).withdrawn(),
    settle: async (options) => (await getPanel()).settle(options),
    operations: async () => (await getPanel()).operations(),
    changes: async () => (await getPanel()).changes(),
    waiting: async () => (await getPanel()).waiting(),
    decide: async (id, decision) => (await getPanel()).decide(id, decision),
    close: async () => (await (await starting?.catch(() => null))?.close()) ?? [],
  }
  return Object.assign(call.bind(null), session, { api: call })
}

/** Returns the failure of a request that cannot be sent in this form; otherwise null. */
function createInvalidRequestFailure(address: string, options: RequestInit | undefined): object | null {
  try {
    new Request(address, options)
    return null
  } catch (error) {
    return toFailure('REQUEST_INVALID', error)
  }
}

const toFailure = (code: string, error: unknown): object => ({
  error: { code, message: error instanceof Error ? error.message : String(error) },
})
