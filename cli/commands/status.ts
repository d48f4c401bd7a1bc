import { command, type Context, type Ending } from '../base/command.ts'
import { exitFor } from '../../shared/exit.ts'
import { optionsOf } from '../base/flags.ts'
import { failureOf, profileOf } from '../base/session.ts'
import { complaintOf } from '../output/host-error.ts'
import { escapeUnseen } from '../../shared/format/invisible.ts'
import { isObject } from '../../shared/json/object.ts'
import type { z } from 'zod'

const options = optionsOf({})

async function run({ io, open }: Context, _: readonly string[], given: z.infer<typeof options>): Promise<Ending> {
  const session = await open({ host: given }).catch((error: unknown) =>
    open({ host: given, anyState: true }).then((opened) => {
      if (opened.app.first === null) throw error
      return opened
    }),
  )
  const { state, app } = session
  const { profile, token } = await profileOf(session)
  const locked = app.first?.locked ?? profile.readOnly
  const error = state.phase === 'online' ? null : failureOf(state)
  const facts = {
    phase: state.phase,
    baseUrl: profile.baseUrl,
    profile: profile.name,
    readOnly: locked,
    token: token.state,
    latencyMs: state.latencyMs,
    host: state.host,
    error: error?.wire ?? null,
  }
  if (given.json) await io.print(`${JSON.stringify(facts, null, 2)}\n`)
  else {
    const { host, phase, ...rest } = facts
    const rows = Object.entries({ ...rest, error: null, ...(isObject(host) ? host : {}) }).filter(
      ([, value]) => value !== null,
    )
    const { good, bad } = io.style
    await io.say(`${(phase === 'online' ? good : bad)(phase)}\n`)
    for (const [name, value] of rows) await io.say(`  ${name.padEnd(18)}${escapeUnseen(String(value))}\n`)
  }
  if (!error) return 'ok'
  io.complain(complaintOf(error))
  return exitFor(error)
}

/** `status`: whether the host answers, and who it is. */
export const statusCommand = command({
  name: 'status',
  summary: 'Whether the host answers, and what it says about itself',
  about: ['Ends with 0 only if the host answers and takes the token.'],
  args: [],
  flags: [],
  examples: [
    { line: 'status --profile work', about: 'one saved host' },
    { line: 'status --base-url http://127.0.0.1:42340 --token-file token --json', about: 'any host, for a script' },
  ],
  host: true,
  options,
  run,
})
