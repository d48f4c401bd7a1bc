import { vi } from 'vitest'

const PATIENCE_MS = 20_000

// The default of one second would be an assertion about the machine.
const { waitFor, waitUntil } = vi
vi.waitFor = (look, options) =>
  waitFor(look, { timeout: PATIENCE_MS, ...(typeof options === 'number' ? { timeout: options } : options) })
vi.waitUntil = (look, options) =>
  waitUntil(look, { timeout: PATIENCE_MS, ...(typeof options === 'number' ? { timeout: options } : options) })
