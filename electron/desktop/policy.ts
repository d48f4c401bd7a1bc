import { pageCsp } from '../page/policy.ts'

/** The headers of every response of the app's scheme. */
export function pageHeaders(type: string, connect?: string): Record<string, string> {
  return {
    'content-type': type,
    'content-security-policy': pageCsp(connect),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
  }
}
