import { vi } from 'vitest'

// The default of one second would be an assertion about the machine.
const { waitFor } = vi
vi.waitFor = (look, options) =>
  waitFor(look, { timeout: 20_000, ...(typeof options === 'number' ? { timeout: options } : options) })
