import fc from 'fast-check'

// CI uses the same inputs every time; on a developer's machine every run uses different ones.
if (process.env['CI']) fc.configureGlobal({ seed: 20_261_120 })
