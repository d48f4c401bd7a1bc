import { expect, onTestFinished } from 'vitest'
import type { composeApp } from '../../../electron/app-composition.ts'
import { startDemoHost, type DemoHostOptions } from '../../../electron/demo-host/server.ts'
import type { CommandDraft } from '../../../shared/operations/prepared-write.ts'
import type { Operation } from '../../../shared/ipc/operations.ts'
import { startAlteringHost, type AlterResponse } from '../hosts/altering-host.ts'
import { startComposedApp } from './composed-app.ts'
import { createTempDir } from '../data/temp-dir.ts'

const auth = { header: 'Authorization', scheme: 'Bearer' }

interface Options {
  readonly readOnly?: boolean
  readonly host?: DemoHostOptions
  readonly dataDir?: string
  readonly compose?: typeof composeApp
  /** Changes the host's responses on the way. */
  readonly alter?: AlterResponse
}

/** Starts the whole program on its own demo host, unlocked by default. */
export async function startWritableApp(options: Options = {}) {
  const host = await startDemoHost({ nodes: 20, ...options.host })
  onTestFinished(() => host.close())
  const app = await startComposedApp(options.dataDir ?? createTempDir(), ['--demo-nodes', '10'], {
    ...(options.compose ? { compose: options.compose } : {}),
  })
  const readOnly = options.readOnly ?? false
  const baseUrl = options.alter ? await startAlteringHost(host, options.alter) : host.baseUrl
  const { profile } = await app.call('profiles.save', { name: 'Host', baseUrl, auth, readOnly })
  await app.call('vault.set', { profileId: profile.id, token: host.token, remember: false })
  await app.call('connection.connect', { profileId: profile.id })
  const [set] = host.state.library.sets
  const [card] = set?.cards ?? []
  if (!set || !card) throw new Error('no cards')
  const sendDraft = async (draft: CommandDraft): Promise<Operation> => {
    const { ticket } = await app.call('operations.prepare', draft)
    return app.call('operations.send', { ticket })
  }
  const listWrites = () =>
    host.log.filter(({ method, path }) => method === 'POST' && !/batch-get|pencil-result/.test(path))
  const getOperation = (id: string) => app.call('operations.get', { id })
  return { host, app, profileId: profile.id, set, card, sendDraft, listWrites, getOperation }
}

type WritableApp = Awaited<ReturnType<typeof startWritableApp>>

/** Restarts the host, and waits until the app has noticed. */
export async function restartHost({
  app,
  host,
  profileId,
}: Pick<WritableApp, 'app' | 'host' | 'profileId'>): Promise<void> {
  const before = (await app.call('connection.get', {})).host?.instanceNonce
  await host.restart()
  await expect
    .poll(async () => (await app.call('connection.connect', { profileId })).host?.instanceNonce ?? before)
    .not.toBe(before)
}

export const buildTitleDraft = (noteid: string, text: string): CommandDraft => ({
  endpoint: 'notes.title',
  params: { noteid },
  query: {},
  body: { text },
})
export const buildCommitDraft = (topicid: string, noteid: string, requestId: string, layerId = ''): CommandDraft => ({
  endpoint: 'writing.pencilCommit',
  params: {},
  query: {},
  body: { surfaceId: 'main', requestId, target: { topicid, noteid, layerId } },
})
