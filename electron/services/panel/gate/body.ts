import { isObject } from '../../../../shared/json/object.ts'
import type { GateChange } from '../../../../shared/panel/panel.ts'
import { setMember } from '../../../../shared/json/edit.ts'
import type { Passing } from './gate.ts'

/**
 * The body of a write with the `addon` that the page sent replaced by the id of the panel's plugin (spec §4, §5.6), or taken out where
 * nobody knows the id: the page's value never takes effect. A body that is no JSON object stays as it is.
 */
export function withAddon(text: string, pluginId: string | null): { text: string; changes: GateChange[] } {
  const body = parsed(text)
  if (!isObject(body) || !Object.hasOwn(body, 'addon')) return { text, changes: [] }
  const from = shown(body['addon'])
  const change = { where: 'body', member: '/addon', from } as const
  const to = pluginId === null ? null : JSON.stringify(pluginId)
  return {
    text: setMember(text, 'addon', to),
    changes: [{ ...change, to, why: to === null ? 'addon-without-id' : 'addon-rewritten' }],
  }
}

/** What the write gate adds (spec §4): the host fills `confirm` itself, whatever the page sent. */
export function confirmChange(
  { row, call, path }: Pick<Passing, 'row' | 'call' | 'path'>,
  added: readonly string[],
): GateChange[] {
  if (!added.includes('confirm')) return []
  if (row.confirm === 'query') {
    const from = new URLSearchParams(path.query).get('confirm')
    return from === '1' ? [] : [{ where: 'query', member: 'confirm', from, to: '1', why: 'confirm-filled' }]
  }
  const body = call.body === null ? null : parsed(call.body.toString())
  const from = isObject(body) && Object.hasOwn(body, 'confirm') ? shown(body['confirm']) : null
  return [{ where: 'body', member: '/confirm', from, to: 'true', why: 'confirm-filled' }]
}

const shown = (value: unknown): string => (JSON.stringify(value) ?? 'null').slice(0, 2_000)

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return null
  }
}
