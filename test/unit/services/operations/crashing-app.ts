import { composeApp } from '../../../../electron/app-composition.ts'
import { parseConfig } from '../../../../electron/config.ts'
import { OperationRecords } from '../../../../electron/services/operations/records/records.ts'
import { findBuiltWorkers } from '../../../support/program/built-program.ts'

/** A program that starts one write and kills itself at a step of it, without any cleanup. */
const [dataDir = '', baseUrl = '', tokenFile = '', noteid = '', step = ''] = process.argv.slice(2)
const killSelf = (): void => void process.kill(process.pid, 'SIGKILL')

const { create, append, observe } = OperationRecords.prototype
OperationRecords.prototype.create = function (stored, first) {
  if (step === 'before-journal') killSelf()
  return create.call(this, stored, first)
}
OperationRecords.prototype.append = function (record, event) {
  if (event.kind === 'sent' && step === 'after-journal') killSelf()
  append.call(this, record, event)
}
OperationRecords.prototype.observe = function (record, event) {
  // The response has arrived but is not in the journal yet, as after a kill at that moment.
  if (event.kind === 'answer' && step === 'after-send') killSelf()
  observe.call(this, record, event)
  if (event.kind === 'answer' && step === 'after-answer') killSelf()
}

const config = parseConfig(['--data-dir', dataDir, '--base-url', baseUrl, '--token-file', tokenFile], {})
const app = await composeApp(config, {
  mode: 'browser',
  chooseFile: null,
  panelProcess: null,
  chooseFolder: null,
  resources: new URL('../../../../resources/', import.meta.url),
  cipher: null,
  ...findBuiltWorkers(),
  openExternal: () => Promise.resolve(false),
  runtime: {},
  version: '0',
  env: {},
})
let id = 0
const call = async (method: string, input: unknown): Promise<Record<string, unknown>> => {
  const reply = await app.dispatcher.call('page', { id: String((id += 1)), method, input })
  if (!reply.ok) throw new Error(`${method}: ${reply.error.message}`)
  return reply.value as Record<string, unknown>
}
const { profile } = (await call('connection.get', {})) as { profile: { id: string } }
await call('connection.connect', { profileId: profile.id })
await call('operations.unlock', { profileId: profile.id, scope: 'session' })
const draft = { endpoint: 'notes.title', params: { noteid }, query: {}, body: { text: 'Crashed' } }
const { ticket } = await call('operations.prepare', draft)
await call('operations.send', { ticket })
