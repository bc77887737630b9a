import type { NextFunction, Request, Response } from 'express';
import { AppError } from '../kernel/app-error.js';
import { isId } from '../kernel/ids.js';
import type { PurchaseService } from '../purchases/checkout/purchase-service.js';
import type { SimulatedGateway } from '../purchases/simulated/simulated-gateway.js';

/**
 * `POST /checkout/simulated/:purchaseId/pay`: the Pay button of the checkout that takes no real money. Ends the simulated
 * session as paid, tells the purchase service as a webhook would, and leads the browser back to the dashboard.
 */
export function createSimulatedPayRoute(gateway: SimulatedGateway, purchases: PurchaseService) {
  return async (request: Request<{ purchaseId: string }>, response: Response, next: NextFunction): Promise<void> => {
    const { purchaseId } = request.params;
    try {
      if (!isId('purchase', purchaseId)) throw new AppError('not_found', 'There is no such checkout.');
      await gateway.payCheckoutSession(purchaseId);
      await purchases.reconcilePurchase(purchaseId);
      response.redirect(303, `/purchases/return?purchase=${purchaseId}`);
    } catch (error) {
      next(error);
    }
  };
}
