import type { Access, Endpoint } from '../../../../shared/bridge/endpoint.ts'
import { member } from '../../../../shared/json/object.ts'

/** What a request to a row does with this body: some reads take over the screen if a member of the body asks for it. */
export function accessOf(row: Pick<Endpoint, 'access' | 'navigatesWith'>, body: unknown): Access {
  if (row.navigatesWith === null) return row.access
  const asked = member(body, row.navigatesWith)
  return asked === undefined || asked === null || asked === false ? row.access : 'navigate'
}
