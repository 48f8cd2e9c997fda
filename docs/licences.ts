// Which packages a running Pharos consists of, and under which licence each comes: from the lockfile, so the same everywhere.

interface LockedPackage {
  version?: string
  license?: string
  dev?: boolean
  devOptional?: boolean
  integrity?: string
}

export interface Package {
  name: string
  version: string
  licence: string
}

export function productionPackages(lockfile: string): Package[] {
  const { packages } = JSON.parse(lockfile) as { packages: Record<string, LockedPackage> }
  return Object.entries(packages)
    .filter(([path, it]) => path !== '' && it.dev !== true && it.devOptional !== true)
    .map(([path, { version = '', license }]) => {
      const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
      return { name, version, licence: license ?? 'unknown' }
    })
    .sort((a, b) => (a.name + a.version < b.name + b.version ? -1 : 1))
}

export function licencesMarkdown(packages: readonly Package[]): string {
  const rows = packages.map((it) => `| ${it.name} | ${it.version} | ${it.licence} |`)
  const head = `# Licences

Pharos is under the MIT licence. A running one consists of these ${packages.length} packages beside it (at most one of the
\`node-…\` ones, which are Node.js for one system each). The text of each licence is in the package, under \`node_modules\`.

| package | version | licence |
|---|---|---|
`
  return `${head}${rows.join('\n')}\n`
}
