import fc from 'fast-check'

// The gate judges a change by the same inputs each time; on a developer's machine every run looks somewhere else.
if (process.env['CI']) fc.configureGlobal({ seed: 20_261_120 })
