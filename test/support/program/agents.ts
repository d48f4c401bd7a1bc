import { vi } from 'vitest'
import { composeApp } from '../../../electron/app-composition.ts'
import type { AgentProposal } from '../../../shared/ipc/agents.ts'
import { startComposedApp, type ComposedApp } from './composed-app.ts'
import { startDemo } from '../hosts/demo.ts'

/** A running app that takes proposals, connected to a demo host that it may write to. */
export async function startAppForAgents(
  dataDir: string,
  { readOnly = false, settleMs = 20, compose = composeApp } = {},
) {
  const { host } = await startDemo({ nodes: 20, settleMs })
  const app = await startComposedApp(dataDir, [], { compose, ports: { acceptsProposals: true } })
  const auth = { header: 'Authorization', scheme: 'Bearer' }
  const { profile } = await app.call('profiles.save', { name: 'Work', baseUrl: host.baseUrl, auth, readOnly })
  await app.call('vault.set', { profileId: profile.id, token: host.token, remember: false })
  await app.call('connection.connect', { profileId: profile.id })
  const card = host.state.library.sets.flatMap(({ cards }) => cards)[0]
  if (!card) throw new Error('no card')
  const route = `/notes/${card.noteid}/title`
  return {
    app,
    host,
    card,
    /** Requests that would change the card's title. */
    listTitleWrites: () => host.log.filter(({ path }) => path.endsWith(route)),
    stop: async () => {
      await app.dispose()
      await host.close()
    },
  }
}

/** The first write that waits, as soon as one does. */
export async function waitForProposal(app: ComposedApp): Promise<AgentProposal> {
  return vi.waitFor(async () => {
    const [ask] = (await app.call('agents.asks', {})).asks
    if (!ask) throw new Error('nothing waits')
    return app.call('agents.ask', { id: ask.id })
  })
}
