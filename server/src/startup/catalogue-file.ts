import { type Catalogue, checkCatalogue } from '../features/catalogue/index.ts';
import { findFlavor } from '../features/flavors/index.ts';
import { flavorsOfPools } from '../features/kubernetes/index.ts';
import type { Db } from '../platform/database/db.ts';
import { ConfigError } from './config.ts';
import { readJsonFile } from './json-file.ts';

/** Reads the file that VIRGA_CATALOGUE names, in the form of `features/catalogue/catalogue.json`.
 *  @throws ConfigError naming every faulty entry */
export const readCatalogueFile = (file: string): Catalogue =>
  readJsonFile('VIRGA_CATALOGUE', file, checkCatalogue);

/** Nodes of clusters have their flavor by its id alone.
 *  @throws ConfigError naming the flavors that pools of nodes have and the catalogue lacks */
export async function refuseMissingFlavors(db: Db): Promise<void> {
  const missing = (await flavorsOfPools(db)).filter((id) => !findFlavor(id));
  if (missing.length === 0) return;
  throw new ConfigError(
    `VIRGA_CATALOGUE: pools of Kubernetes nodes have flavors that are not in the catalogue (add them, or delete these pools first): ${missing.join(', ')}`,
  );
}
