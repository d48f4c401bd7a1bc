import { expect, onTestFinished } from 'vitest'
import { startDemoHost, type DemoHostOptions } from '../../../electron/demo-host/server.ts'
import type { CommandDraft } from '../../../shared/operations/prepared-write.ts'
import type { Operation } from '../../../shared/ipc/operations.ts'
import { alteringHost, type Alter } from '../hosts/altering-host.ts'
import { startComposed } from './composed.ts'
import { tempDir } from '../data/data-dir.ts'

const auth = { header: 'Authorization', scheme: 'Bearer' }

interface Options {
  readonly readOnly?: boolean
  readonly host?: DemoHostOptions
  readonly dataDir?: string
  /** Changes the host's answers on the way. */
  readonly alter?: Alter
}

/** The whole program on its own demo host, unlocked unless told otherwise. */
export async function running(options: Options = {}) {
  const host = await startDemoHost({ nodes: 20, ...options.host })
  onTestFinished(() => host.close())
  const app = await startComposed(options.dataDir ?? tempDir(), ['--demo-nodes', '10'])
  const readOnly = options.readOnly ?? false
  const baseUrl = options.alter ? await alteringHost(host, options.alter) : host.baseUrl
  const { profile } = await app.call('profiles.save', { name: 'Host', baseUrl, auth, readOnly })
  await app.call('vault.set', { profileId: profile.id, token: host.token, remember: false })
  await app.call('connection.connect', { profileId: profile.id })
  const [set] = host.state.library.sets
  const [card] = set?.cards ?? []
  if (!set || !card) throw new Error('no cards')
  const sendOf = async (draft: CommandDraft): Promise<Operation> => {
    const { ticket } = await app.call('operations.prepare', draft)
    return app.call('operations.send', { ticket })
  }
  const writes = () => host.log.filter(({ method, path }) => method === 'POST' && !/batch-get|pencil-result/.test(path))
  const get = (id: string) => app.call('operations.get', { id })
  return { host, app, profileId: profile.id, set, card, sendOf, writes, get }
}

type Running = Awaited<ReturnType<typeof running>>

/** Restarts the host, and waits until the app has noticed. */
export async function restarted({ app, host, profileId }: Pick<Running, 'app' | 'host' | 'profileId'>): Promise<void> {
  const before = (await app.call('connection.get', {})).host?.instanceNonce
  await host.restart()
  await expect
    .poll(async () => (await app.call('connection.connect', { profileId })).host?.instanceNonce ?? before, {
      timeout: 8000,
    })
    .not.toBe(before)
}

export const title = (noteid: string, text: string): CommandDraft => ({
  endpoint: 'notes.title',
  params: { noteid },
  query: {},
  body: { text },
})
export const commit = (topicid: string, noteid: string, requestId: string, layerId = ''): CommandDraft => ({
  endpoint: 'writing.pencilCommit',
  params: {},
  query: {},
  body: { surfaceId: 'main', requestId, target: { topicid, noteid, layerId } },
})
