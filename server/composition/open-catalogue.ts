import { CatalogueStore } from '../catalogue/catalogue-store.js';
import { PriceVersions } from '../catalogue/price-versions.js';
import { ProviderChanges } from '../catalogue/provider-changes.js';
import { listProviderFacts } from '../catalogue/provider-report.js';
import { tryProvider } from '../catalogue/provider-trial.js';
import { RuntimeCatalogue } from '../catalogue/runtime-catalogue.js';
import type { Config } from '../config/config.js';
import { findMoneyFault } from '../config/unsafe-for-strangers.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { SecretBox } from '../factors/secret-box.js';
import type { Clock } from '../kernel/clock.js';
import type { Logger } from '../kernel/logger.js';
import { PriceDesk } from '../operator/catalogue/price-desk.js';
import { ProviderDesk } from '../operator/catalogue/provider-desk.js';
import type { OperatorLog } from '../operator/operator-log.js';
import { UpstreamClient } from '../providers/call-upstream.js';
import { KeyCooling } from '../providers/health/key-cooling.js';
import { ProviderHealth } from '../providers/health/provider-health.js';
import type { ProviderOverlay } from '../providers/settings/provider-overlay.js';

export interface CatalogueParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly logger: Logger;
}

function openUpstream({
  upstreamTimeouts: timeouts,
  upstreamConnectionsMax,
}: Pick<Config, 'upstreamTimeouts' | 'upstreamConnectionsMax'>) {
  return new UpstreamClient({ timeouts, connectionsPerOriginMax: upstreamConnectionsMax });
}

/** Providers, models and prices as the settings, the file and the database say; nothing is read of the database before `watch.start`. */
export function openCatalogue(parts: CatalogueParts, config: Config) {
  const { clock, logger, unitOfWork } = parts;
  const cooling = new KeyCooling();
  const sealer = new SecretBox(config);
  const store = new CatalogueStore({ unitOfWork, sealer, cooling, logger });
  // Whoever sets a key while the server runs makes of free credits what the start would have refused.
  const findFault = (overlay: ProviderOverlay) =>
    overlay.keys.size + overlay.providers.length === 0 ? null : findMoneyFault({ ...config, overlay });
  const versions = new PriceVersions({ unitOfWork, clock });
  const catalogue = new RuntimeCatalogue({ config, store, prices: versions, findFault, clock, logger });
  const health = new ProviderHealth(config.breaker, logger, clock);
  const upstream = openUpstream(config);
  // The change is made and answered; what keeps this process from taking it over, its standing says.
  const takeOver = () => catalogue.watch.lookAfterChange();
  const isKnown = (id: string) => catalogue.isKnown(id);
  const changes = new ProviderChanges({ unitOfWork, clock, sealer, isKnown, findFault });
  const openDesk = (log: OperatorLog) =>
    new ProviderDesk({
      log,
      changes,
      takeOver,
      listProviders: () => listProviderFacts({ catalogue, health, cooling, clock }),
      tryProvider: (providerId, keyId) => tryProvider(providerId, keyId, { catalogue, upstream }),
      findStanding: () => catalogue.standing,
    });
  const openPriceDesk = (log: OperatorLog) =>
    new PriceDesk({
      log,
      versions,
      nowMs: () => clock.nowMs(),
      takeOver,
      preview: (document, atMs) => catalogue.preview(document, atMs),
      listPrices: () => catalogue.listPrices(),
    });
  const close = async () => {
    await catalogue.watch.close();
    await upstream.close();
  };
  const findOverlay = () => catalogue.overlay;
  return {
    live: catalogue.live,
    watch: catalogue.watch,
    findOverlay,
    listCosts: (range: Parameters<RuntimeCatalogue['listCosts']>[0]) => catalogue.listCosts(range),
    health,
    upstream,
    openDesk,
    openPriceDesk,
    close,
  };
}

/** The same, with what the database has taken over, and looking for changes from now on. @throws what it could not be read by. */
export async function startCatalogue(parts: CatalogueParts, config: Config) {
  const opened = openCatalogue(parts, config);
  await opened.watch.start();
  return opened;
}
