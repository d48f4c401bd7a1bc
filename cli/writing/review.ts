import type { Prepared } from '../../shared/ipc/commands.ts'
import type { Io } from '../io/io.ts'

type Code = Prepared['warnings'][number]['code']

const warnings: Readonly<Record<Code, string>> = {
  'takes-over-screen': 'It shows something on the screen of the host’s user.',
  'cannot-be-undone': 'It can’t be undone.',
  'no-confirm-gate': 'The host executes it at once, whatever the body says about confirm.',
  'may-need-approval': 'From another device, a person has to approve it.',
  'body-differs': 'The body is not as the contract has it; it is sent as it is.',
  'confirm-not-added': 'The body is not an object: confirm can’t be added, so the host executes nothing.',
  'not-known': 'No document says what this route does.',
  'not-known-no-max': 'No document says what this route does; the host lists it as one that needs no subscription.',
  'addon-is-rewritten': 'For panels a host rewrites addon; from here it is sent unchanged.',
  'requires-max': 'It needs a subscription, as the host says.',
  'not-listed': 'The host does not list this route.',
  'confirm-ignored': 'confirm in the request does not count: it is set here.',
  'unfinished-commit': 'Another commit of the same window has not finished.',
  replay: 'The same request was sent before.',
  'other-target': 'Its request id was used before, with another target.',
  'id-used-before': 'Its request id was used before.',
  'not-journaled': 'It can’t be recorded.',
}

/** Shows a write in full, before it is sent, on standard error. */
export function showRequest(io: Io, prepared: Prepared): void {
  const { method, origin, basePath, path, headers, body, added } = prepared
  io.complain(`${method} ${origin}${basePath}${path}`)
  for (const [name, value] of Object.entries(headers)) io.complain(`${name}: ${value}`)
  if (body !== null) io.complain(`\n${body}\n`)
  if (added.length > 0) io.complain(`Added here: ${added.join(', ')}`)
  for (const { code, params } of prepared.warnings) {
    const facts = Object.values(params).filter((value) => value !== '')
    io.complain(`Note: ${warnings[code]}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`)
  }
}
