import { endpoints } from '../../../shared/bridge/endpoints/index.ts'
import type { IpcInput } from '../../../shared/ipc/index.ts'
import { TOKEN } from '../services/test-client.ts'

/** Inputs with which the sweep of all methods reads and writes. */
export const read = (id: string): IpcInput<'bridge.read'> => ({ endpoint: id, params: {}, query: {} })

export const everyRead = [
  ...endpoints.map(({ id }) => read(id)),
  { ...read('notes.batchGet'), body: { noteIds: [] } },
  { ...read('studySets.tree'), params: { topicid: 'NO-SUCH' } },
  read('nope'),
]

export const everyContent = [
  { endpoint: 'notes.content', params: { noteid: 'NO-SUCH', contentId: TOKEN }, query: {} },
  { endpoint: 'notes.render', params: { noteid: 'NO-SUCH' }, query: { width: 320 } },
  { endpoint: 'bundles.files', params: { bundleId: 'bundle-1' }, query: { path: 'manifest.json' } },
  { endpoint: 'notes.move', params: {}, query: {} },
]

export const sort = { by: 'time', descending: true }
export const everySeq = Array.from({ length: 60 }, (_, index) => index + 1)
export const everySent = [
  ...endpoints.map(({ method, path }) => ({ method, path: path.replace(/\{[^}]+\}/g, 'NO-SUCH'), body: '{}' })),
  { method: 'GET', path: `/status?echo=${TOKEN}`, body: null },
  { method: 'GET', path: '/notes/%2e%2e/%2e%2e/x', body: null },
  { method: 'GET', path: '/nowhere', body: null },
  { method: 'DELETE', path: '/nowhere', body: null },
  { method: 'POST', path: '/notes/batch-get', body: 'not JSON' },
]

export const everyWrite = endpoints.map(({ id }) => ({ ...read(id), body: { noteIds: [TOKEN], confirm: true } }))
